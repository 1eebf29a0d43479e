package io.psf.builtin.checkpoint;

import io.psf.api.spi.OwnerFiles;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import io.psf.builtin.image.ImageRows;
import io.psf.builtin.image.ShardImage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file with images one after another, or with one alone, while it is written. Used by one thread at a time. */
final class Pack {
    static final String SUFFIX = ".pack";

    private final Path file;
    private final Path unfinished;
    private final FileChannel channel;
    private @Nullable ImageOutput out;
    private final KnownFile known = new KnownFile();
    private long length;

    private Pack(Path file, Path unfinished, FileChannel channel) {
        this.file = file;
        this.unfinished = unfinished;
        this.channel = channel;
        this.out = new ImageOutput(channel);
    }

    /** Creates an unfinished file. */
    static Pack create(Path file) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + Folder.UNFINISHED);
        FileChannel channel = OwnerFiles.createNew(unfinished);
        return new Pack(file, unfinished, channel);
    }

    /** Appends the image of a shard. */
    SavedImage add(ImageHeader whole, ImageRows rows, StoredShard shard) throws IOException {
        ImageOutput to = Objects.requireNonNull(out, "out");
        long offset = length;
        int checksum = ShardImage.write(whole, rows, shard, to);
        length += to.written();
        return new SavedImage(
                whole.save(),
                whole.begin(),
                whole.end(),
                name(),
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
        return file.getFileName().toString();
    }

    long length() {
        return length;
    }

    /** Gives the buffer up: no image is added any more. */
    void end() {
        out = null;
    }

    /** Closes the file, which is forced later: its content may be on the disk or not. */
    void close() throws IOException {
        end();
        channel.close();
    }

    /** Forces the images to the disk, and gives the file its name. */
    void finish() throws IOException {
        try (FileChannel open = channel.isOpen() ? channel : FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
            open.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        known.complete(file);
    }

    /** Deletes the file, which is not finished. */
    void abandon() {
        try {
            channel.close();
        } catch (IOException e) {
            // the caller gets the failure of the save instead
        }
        Folder.delete(unfinished);
    }
}
