package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A file whose content this server has written or verified. Thread-safe: a pack is known to the lanes of all shards
 * that it has images of.
 */
final class KnownFile {
    private volatile CheckpointStore.@Nullable Entry then;

    /** Returns a file as it is now. */
    static KnownFile of(Folder folder, String file) {
        KnownFile known = new KnownFile();
        known.complete(folder, file);
        return known;
    }

    /** Records the file when it has been written. Before that it is not {@link #isStill} any file. */
    void complete(Folder folder, String file) {
        try {
            then = folder.entry(file);
        } catch (IOException e) {
            then = null; // it is read once more
        }
    }

    /** Returns true if the file has not been replaced and not been written to. */
    boolean isStill(Folder folder, String file) throws IOException {
        CheckpointStore.Entry known = then;
        return known != null && known.equals(folder.entry(file));
    }
}
