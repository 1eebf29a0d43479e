package io.psf.builtin.checkpoint;

import io.psf.api.array.FloatArray;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Reads a file, little-endian, from any position, through a bounded buffer. Not thread-safe. */
final class BufferedFile implements AutoCloseable {
    /** The most floats that the buffer holds. */
    static final int FLOATS = 1 << 16;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(FLOATS * Float.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .flip();

    BufferedFile(Path file) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Returns the position of the next byte in the file. */
    long position() throws IOException {
        return channel.position() - buffer.remaining();
    }

    void seek(long position) throws IOException {
        channel.position(position);
        buffer.limit(0);
    }

    int i8() throws IOException {
        return need(1).get();
    }

    int i32() throws IOException {
        return need(4).getInt();
    }

    long i64() throws IOException {
        return need(8).getLong();
    }

    /** Reads an int32 length, then that many bytes. */
    byte[] bytes() throws IOException {
        byte[] bytes = new byte[length()];
        for (int at = 0; at < bytes.length; ) {
            int n = Math.min(bytes.length - at, need(1).remaining());
            buffer.get(bytes, at, n);
            at += n;
        }
        return bytes;
    }

    /** Reads an int32 length, then skips that many bytes. */
    void skipBytes() throws IOException {
        int n = length();
        if (n <= buffer.remaining()) {
            buffer.position(buffer.position() + n);
        } else {
            seek(position() + n);
        }
    }

    private int length() throws IOException {
        int length = i32();
        if (length < 0 || length > size() - position()) {
            throw new EOFException("a length of " + length + " with " + (size() - position()) + " bytes left");
        }
        return length;
    }

    String string() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Reads n floats, at most {@link #FLOATS}. Returns a view of the buffer, valid until the next read. */
    FloatArray floats(int n) throws IOException {
        FloatArray view = FloatArray.view(need(n * Float.BYTES).slice(buffer.position(), n * Float.BYTES));
        buffer.position(buffer.position() + n * Float.BYTES);
        return view;
    }

    /** Fills the whole array. */
    void floats(FloatArray into) throws IOException {
        for (int at = 0; at < into.length(); ) {
            int n = Math.min(into.length() - at, need(Float.BYTES).remaining() / Float.BYTES);
            into.copyFrom(at, FloatArray.view(buffer.slice(buffer.position(), n * Float.BYTES)));
            buffer.position(buffer.position() + n * Float.BYTES);
            at += n;
        }
    }

    /** Reads the next bytes and returns their CRC32C. */
    int checksum(long bytes) throws IOException {
        CRC32C crc = new CRC32C();
        for (long left = bytes; left > 0; ) {
            int n = (int) Math.min(left, need(1).remaining());
            crc.update(buffer.slice(buffer.position(), n));
            buffer.position(buffer.position() + n);
            left -= n;
        }
        return (int) crc.getValue();
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            buffer.compact();
            while (buffer.position() < bytes) {
                if (channel.read(buffer) < 0) {
                    buffer.flip();
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
