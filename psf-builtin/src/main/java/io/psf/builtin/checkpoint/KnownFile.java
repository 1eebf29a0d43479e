package io.psf.builtin.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * A file whose content this server has written or verified. Thread-safe: a pack is known to the lanes of all shards
 * that it has images of.
 */
final class KnownFile {
    private volatile @Nullable Stamp stamp;

    /**
     * A file's content, as far as the file system tells without reading it. All links of a file have the same one.
     *
     * @param key the file's number on its file system; null if the system has none
     */
    private record Stamp(@Nullable Object key, long bytes, FileTime modified) {
        static Stamp of(Path file) throws IOException {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(now.fileKey(), now.size(), now.lastModifiedTime());
        }
    }

    /** Returns a file as it is now. */
    static KnownFile of(Path file) {
        KnownFile known = new KnownFile();
        known.complete(file);
        return known;
    }

    /** Records the file when it has been written. Before that it is not {@link #isStill} any file. */
    void complete(Path file) {
        try {
            stamp = Stamp.of(file);
        } catch (IOException e) {
            stamp = null; // it is read once more
        }
    }

    /** Returns true if the file has not been replaced and not been written to. */
    boolean isStill(Path file) throws IOException {
        Stamp then = stamp;
        return then != null && then.equals(Stamp.of(file));
    }
}
