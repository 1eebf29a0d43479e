package io.psf.interchange;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads numbers of a file in turn, little-endian, through a bounded buffer. Not thread-safe. */
final class ArrayReader implements AutoCloseable {
    private final FileChannel channel;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN).flip();

    /**
     * Opens a file.
     *
     * @param offset the position of the first number
     */
    ArrayReader(Path file, long offset) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
        var unused = channel.position(offset);
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Reads the next n elements as float32. */
    float[] floats(ElementFormat format, int n) throws IOException {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = format.read(need(format.bytes()));
        }
        return values;
    }

    /** Reads the next n keys. */
    long[] longs(ElementFormat format, int n) throws IOException {
        long[] values = new long[n];
        for (int i = 0; i < n; i++) {
            values[i] = format.readInteger(need(format.bytes()));
        }
        return values;
    }

    long i64() throws IOException {
        return need(Long.BYTES).getLong();
    }

    /** Reads the next bytes. */
    byte[] bytes(int n) throws IOException {
        byte[] bytes = new byte[n];
        for (int at = 0; at < n; ) {
            int part = Math.min(n - at, need(1).remaining());
            buffer.get(bytes, at, part);
            at += part;
        }
        return bytes;
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            buffer.compact();
            while (buffer.position() < bytes) {
                if (channel.read(buffer) < 0) {
                    throw new EOFException("it ends at " + channel.position());
                }
            }
            buffer.flip();
        }
        return buffer;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
