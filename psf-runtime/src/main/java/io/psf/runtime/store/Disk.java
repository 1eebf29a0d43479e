package io.psf.runtime.store;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The disk that mapped files lie on. A mapped page whose block the disk has no space for is a fault at some access of some
 * handler, so blocks are taken before, by writing zeros: the portable way to have them. (A file system that compresses zeros
 * or copies on write promises nothing by that.)
 *
 * @param directory where the files are, for messages
 * @param free how many bytes are free
 */
record Disk(Path directory, Free free) {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

    /** Asks how many bytes are free. */
    @FunctionalInterface
    interface Free {
        long bytes() throws IOException;
    }

    /**
     * Gives a part of a file, that nothing has been written to, blocks of zeros.
     *
     * @param name whose memory it is, for messages
     * @throws PsException with {@code STORAGE} if the disk has no space for them
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

    /** Before any is written: a disk that is filled up hurts others, too. */
    private void require(String name, long bytes) throws IOException {
        long left = free.bytes();
        if (left < bytes) {
            throw full(name, bytes, "expected: at most " + left + ", which are free", null);
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
            return "expected: at most " + free.bytes() + ", which are free";
        } catch (IOException e) {
            return "expected: as many free bytes";
        }
    }
}
