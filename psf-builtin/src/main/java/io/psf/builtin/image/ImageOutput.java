package io.psf.builtin.image;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Writes images, little-endian, through a bounded buffer, one after another, and computes the checksum of each. Not
 * thread-safe.
 */
public final class ImageOutput {
    /** The floats that the buffer holds: a lane writes few at a time, since calls wait meanwhile. */
    static final int FLOATS = 1 << 14;

    private final WritableByteChannel channel;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer buffer = ByteBuffer.allocate(FLOATS * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long written;

    /** Creates an output that writes where the channel is positioned. */
    public ImageOutput(WritableByteChannel channel) {
        this.channel = channel;
    }

    void i8(int value) throws IOException {
        need(1).put((byte) value);
    }

    void i32(int value) throws IOException {
        need(4).putInt(value);
    }

    void i64(long value) throws IOException {
        need(8).putLong(value);
    }

    /** Writes an int32 length, then the bytes. */
    void bytes(byte[] bytes) throws IOException {
        bytes(bytes, 0, bytes.length);
    }

    private void bytes(byte[] bytes, int begin, int length) throws IOException {
        i32(length);
        append(bytes, begin, length);
    }

    /** Writes bytes. */
    void append(byte[] bytes, int begin, int length) throws IOException {
        for (int at = 0; at < length; ) {
            int n = Math.min(length - at, need(1).remaining());
            buffer.put(bytes, begin + at, n);
            at += n;
        }
    }

    void string(String text) throws IOException {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes rows of a column by their numbers, as many together as the buffer holds. */
    void rows(StoredColumn column, int[] numbers, int n) throws IOException {
        int most = Math.max(1, FLOATS / column.width());
        for (int at = 0; at < n; at += most) {
            FloatArray some = column.read(numbers, at, Math.min(most, n - at));
            if (some.length() <= FLOATS) { // whole rows: views of others are copied
                ArrayMemory.write(some, 0, some.length(), need(some.length() * Float.BYTES));
            } else {
                floats(some);
            }
        }
    }

    void floats(FloatArray values) throws IOException {
        for (int at = 0; at < values.length(); ) {
            int n = Math.min(values.length() - at, need(Float.BYTES).remaining() / Float.BYTES);
            ArrayMemory.write(values, at, at + n, buffer);
            at += n;
        }
    }

    /**
     * Returns a stream of bytes of a length that is not known yet: each write is a piece, an int32 length and the
     * bytes; closing it writes a length of 0. The stream is to be buffered, since each piece has its length.
     */
    OutputStream pieces() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one});
            }

            @Override
            public void write(byte[] some, int begin, int length) throws IOException {
                if (length > 0) {
                    bytes(some, begin, length);
                }
            }

            @Override
            public void close() throws IOException {
                i32(0);
            }
        };
    }

    /** Appends the CRC32C of all bytes of the image, passes everything on to the channel, and returns the checksum. */
    int finish() throws IOException {
        crc.update(buffer.duplicate().flip());
        written += buffer.position();
        int checksum = (int) crc.getValue();
        if (buffer.remaining() < Integer.BYTES) {
            pass();
        }
        buffer.putInt(checksum);
        written += Integer.BYTES;
        pass();
        return checksum;
    }

    /** Begins an image. */
    void begin() {
        crc.reset();
        written = 0;
    }

    /** Returns the bytes of the image that were passed on to the channel; all after {@link #finish}. */
    public long written() {
        return written;
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    /** Passes everything on to the channel. */
    void flush() throws IOException {
        crc.update(buffer.duplicate().flip());
        written += buffer.position();
        pass();
    }

    private void pass() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }
}
