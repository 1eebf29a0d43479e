package io.psf.builtin.image;

import io.psf.api.array.FloatArray;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads an image, little-endian, through a bounded buffer: from a stream, or from any position if it is a part of a
 * file. Not thread-safe.
 */
public final class ImageInput implements Closeable {
    /** The most floats that the buffer holds. */
    static final int FLOATS = 1 << 16;

    /** The most bytes that are allocated for bytes that have not arrived. */
    private static final int AT_FIRST = 1 << 16;

    private final ReadableByteChannel channel;
    /** The file that the image is a part of; null if it is a stream. */
    private final @Nullable SeekableByteChannel file;
    /** The position of the image in its file. */
    private final long offset;
    /** The bytes of the image; of a stream the largest number. */
    private final long size;

    private final ByteBuffer buffer;
    /** The position in the image of the first byte that has not been read into the buffer. */
    private long ahead;

    private final CRC32C crc = new CRC32C();
    /** The bytes at the beginning of the buffer that are in the checksum of the stream. */
    private int summed;

    private ImageInput(
            ReadableByteChannel channel, @Nullable SeekableByteChannel file, long offset, long size, int capacity) {
        this.channel = channel;
        this.file = file;
        this.offset = offset;
        this.size = size;
        this.buffer =
                ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).flip();
    }

    /** Returns the input of a stream, which it reads to the end of the image, and may read further. */
    static ImageInput of(ReadableByteChannel stream) {
        return new ImageInput(stream, null, 0, Long.MAX_VALUE, FLOATS * Float.BYTES);
    }

    /**
     * Returns the input of an image in a file. Closing it closes the file.
     *
     * @param offset the position of the image in the file
     * @param size the bytes of the image; reading beyond them fails as the end of a file does
     */
    public static ImageInput of(SeekableByteChannel file, long offset, long size) throws IOException {
        ImageInput in = new ImageInput(
                file, file, offset, size, (int) Math.min(FLOATS * Float.BYTES, Math.max(Long.BYTES, size)));
        in.seek(0);
        return in;
    }

    /** Returns the number of bytes of the image; of a stream the largest number. */
    public long size() {
        return size;
    }

    /** Returns the position of the next byte in the image. */
    public long position() {
        return ahead - buffer.remaining();
    }

    /** Continues at a position of an image in a file. */
    public void seek(long position) throws IOException {
        if (file == null) {
            throw new IllegalStateException("seek: in a stream (expected: a file)");
        }
        long begin = ahead - buffer.limit();
        if (buffer.limit() > 0 && position >= begin && position <= ahead) {
            buffer.position((int) (position - begin));
            return;
        }
        file.position(offset + position);
        ahead = position;
        buffer.limit(0);
        summed = 0;
    }

    /** Skips bytes. */
    void skip(long bytes) throws IOException {
        if (bytes > buffer.remaining() && file != null) {
            seek(position() + bytes);
            return;
        }
        for (long left = bytes; left > 0; ) {
            int n = (int) Math.min(left, need(1).remaining());
            buffer.position(buffer.position() + n);
            left -= n;
        }
    }

    int i8() throws IOException {
        return need(1).get();
    }

    /** Reads an int32. */
    public int i32() throws IOException {
        return need(4).getInt();
    }

    /** Reads an int64. */
    public long i64() throws IOException {
        return need(8).getLong();
    }

    /** Reads an int32 length, then that many bytes. */
    byte[] bytes() throws IOException {
        int length = length();
        byte[] bytes = new byte[Math.min(length, AT_FIRST)];
        for (int at = 0; at < length; ) {
            if (at == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * at));
            }
            int n = Math.min(bytes.length - at, need(1).remaining());
            buffer.get(bytes, at, n);
            at += n;
        }
        return bytes;
    }

    /** Reads an int32 length, then skips that many bytes. */
    void skipBytes() throws IOException {
        skip(length());
    }

    private int length() throws IOException {
        int length = i32();
        if (length < 0 || length > size - position()) {
            throw new EOFException("a length of " + length + " with " + (size - position()) + " bytes left");
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
    public void floats(FloatArray into) throws IOException {
        for (int at = 0; at < into.length(); ) {
            int n = Math.min(into.length() - at, need(Float.BYTES).remaining() / Float.BYTES);
            into.copyFrom(at, FloatArray.view(buffer.slice(buffer.position(), n * Float.BYTES)));
            buffer.position(buffer.position() + n * Float.BYTES);
            at += n;
        }
    }

    /** Returns the bytes that {@link ImageOutput#pieces} wrote. Closing it skips the rest of them. */
    InputStream pieces() {
        return new InputStream() {
            private int left = -1;

            /** Returns true if there is a byte. */
            private boolean more() throws IOException {
                if (left < 0) {
                    left = length();
                }
                return left > 0;
            }

            private void took(int n) {
                left -= n;
                left = left == 0 ? -1 : left;
            }

            @Override
            public int read() throws IOException {
                if (!more()) {
                    return -1;
                }
                int one = need(1).get() & 0xff;
                took(1);
                return one;
            }

            @Override
            public int read(byte[] into, int begin, int length) throws IOException {
                if (length == 0) {
                    return 0;
                } else if (!more()) {
                    return -1;
                }
                int n = Math.min(Math.min(length, left), need(1).remaining());
                buffer.get(into, begin, n);
                took(n);
                return n;
            }

            @Override
            public void close() throws IOException {
                while (more()) {
                    ImageInput.this.skip(left);
                    left = -1;
                }
            }
        };
    }

    /** Reads the next bytes and returns their CRC32C. */
    public int checksum(long bytes) throws IOException {
        CRC32C some = new CRC32C();
        for (long left = bytes; left > 0; ) {
            int n = (int) Math.min(left, need(1).remaining());
            some.update(buffer.slice(buffer.position(), n));
            buffer.position(buffer.position() + n);
            left -= n;
        }
        return (int) some.getValue();
    }

    /** Returns the CRC32C of all bytes that have been read, of a stream. */
    int checksum() {
        sum();
        return (int) crc.getValue();
    }

    private void sum() {
        if (file == null) {
            crc.update(buffer.slice(summed, buffer.position() - summed));
            summed = buffer.position();
        }
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            sum();
            buffer.compact();
            summed = 0;
            while (buffer.position() < bytes) {
                buffer.limit(buffer.position()
                        + (int) Math.min(buffer.capacity() - buffer.position(), Math.max(0, size - ahead)));
                int n = buffer.hasRemaining() ? channel.read(buffer) : -1;
                if (n < 0) {
                    buffer.flip();
                    throw new EOFException("it ends at " + ahead);
                }
                ahead += n;
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
