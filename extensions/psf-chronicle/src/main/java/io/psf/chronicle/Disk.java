package io.psf.chronicle;

import io.psf.api.PsException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The disk that holds mapped files. An access to a mapped page for whose block the disk has no space faults in
 * whichever handler accesses it. Therefore blocks are allocated in advance by writing zeros, the portable way. (A file
 * system that compresses zeros or copies on write gives no such guarantee.)
 *
 * @param directory the directory of the files, for messages
 * @param free supplies the number of free bytes
 */
record Disk(Path directory, Free free) {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

    /**
     * Returns the disk of a directory. The number of free bytes is asked of the directory: a {@code FileStore} needs
     * the mount point, which a process in a chroot may not see.
     *
     * @throws IOException if the directory does not exist, or is not accessible
     */
    static Disk of(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        File file = directory.toFile();
        return new Disk(directory, file::getUsableSpace);
    }

    /** Returns the number of free bytes. */
    @FunctionalInterface
    interface Free {
        long bytes() throws IOException;
    }

    /**
     * Allocates zeroed blocks for a part of a file that has not been written to.
     *
     * @param name the owner of the memory, for messages
     * @param begin the first byte of the part
     * @param end the end of the part, exclusive
     * @throws PsException with {@code STORAGE} if the disk has no space for the blocks
     */
    void take(FileChannel channel, String name, long begin, long end) {
        try {
            require(name, end - begin);
            for (long at = begin; at < end; ) {
                ByteBuffer zeros = ZEROS.duplicate();
                at += channel.write(zeros.limit((int) Math.min(zeros.capacity(), end - at)), at);
            }
        } catch (IOException e) {
            throw full(name, end - begin, e + ", " + freeNow(), e);
        }
    }

    /** Fails before the first write: a full disk harms other users as well. */
    void require(String name, long bytes) throws IOException {
        long left = free.bytes();
        if (left < bytes) {
            throw full(name, bytes, "expected: at most " + left + ", the free space", null);
        }
    }

    private PsException full(String name, long bytes, String why, @Nullable IOException e) {
        return new PsException(
                PsException.Code.STORAGE,
                "disk of mapped shards: " + bytes + " bytes for " + name + " in " + directory + " (" + why + ")",
                e);
    }

    private String freeNow() {
        try {
            return "expected: at most " + free.bytes() + ", the free space";
        } catch (IOException e) {
            return "expected: as many free bytes";
        }
    }
}
