package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.spi.OwnerFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Writes a file, little-endian, through a bounded buffer. It writes beside the file, and {@link #commit} renames: a
 * file is complete or is not there. Not thread-safe.
 */
final class ArrayWriter implements AutoCloseable {
    private final Path file;
    private final Path beside;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * Begins a file, or another one for a file.
     *
     * @throws PsException with {@code STORAGE} if its folder does not exist, or it is a folder itself
     */
    ArrayWriter(Path file) throws IOException {
        this.file = file.toAbsolutePath();
        Path folder = this.file.getParent();
        if (Files.isDirectory(this.file) || folder == null || !Files.isDirectory(folder)) {
            throw new PsException(
                    PsException.Code.STORAGE, "writing " + this.file + " (expected: a file, in a folder that exists)");
        }
        this.beside = this.file.resolveSibling(this.file.getFileName() + ".unfinished");
        this.channel = OwnerFiles.create(beside);
    }

    /** Writes everything so far to the disk's cache, and returns the unfinished file, which may be read. */
    Path flushed() throws IOException {
        flush();
        return beside;
    }

    /** Continues at a position of the file. */
    void seek(long position) throws IOException {
        flush();
        var unused = channel.position(position);
    }

    void bytes(byte[] bytes) throws IOException {
        flush();
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            channel.write(all);
        }
    }

    void floats(float[] values, int n) throws IOException {
        for (int i = 0; i < n; i++) {
            need(Float.BYTES).putFloat(values[i]);
        }
    }

    void longs(long[] values) throws IOException {
        for (long value : values) {
            need(Long.BYTES).putLong(value);
        }
    }

    /** Flushes the file to the disk. */
    void force() throws IOException {
        flush();
        channel.force(true);
    }

    /** Flushes the file to the disk and gives it its name. */
    void commit() throws IOException {
        force();
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    private void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    /** Closes the file, and deletes it unless it was committed. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(beside);
    }
}
