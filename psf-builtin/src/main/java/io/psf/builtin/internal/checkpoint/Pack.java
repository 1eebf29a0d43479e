package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.StoredNode;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import io.psf.builtin.image.ImageRows;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A file with images one after another, while it is written. Used by one thread at a time. */
final class Pack {
    static final String SUFFIX = ".pack";

    private final Folder folder;
    private final String name;
    private final FileBehind file;
    private @Nullable ImageOutput out;
    private final KnownFile known = new KnownFile();
    private long length;

    /**
     * Prepares a file.
     *
     * @param node the node whose threads store it
     */
    Pack(StoredNode node, Folder folder, String name) {
        this.folder = folder;
        this.name = name;
        this.file = new FileBehind(node, () -> folder.create(name));
        this.out = new ImageOutput(file);
    }

    /** Returns the output to which an image is appended. */
    ImageOutput output() {
        return Objects.requireNonNull(out, "out");
    }

    /** True if a piece of an image can be written without waiting for the disk. */
    boolean hasRoom() {
        return file.hasRoom();
    }

    /** Completed, on any thread, when there is room. */
    CompletionStage<Void> room() {
        return file.room();
    }

    /** Returns an image that has been appended. */
    SavedImage added(ImageHeader whole, ImageRows rows, int checksum) {
        ImageOutput to = output();
        long offset = length;
        length += to.written();
        return new SavedImage(
                whole.save(),
                whole.begin(),
                whole.end(),
                name,
                offset,
                to.written(),
                checksum,
                rows.form().bases());
    }

    /** Returns the file, as it is known once it is {@link #finish finished}. */
    KnownFile known() {
        return known;
    }

    String name() {
        return name;
    }

    long length() {
        return length;
    }

    /** Gives the buffer up: no image is added any more. */
    void end() {
        out = null;
        file.end();
    }

    /** Waits until the images are stored. */
    void finish() throws IOException {
        file.finish();
        known.complete(folder, name);
    }

    /** Deletes the file, unless it is finished. */
    void abandon() {
        try {
            file.close();
        } catch (IOException e) {
            return; // the caller gets the failure of the save instead
        }
    }
}
