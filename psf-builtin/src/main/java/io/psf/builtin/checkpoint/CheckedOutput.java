package io.psf.builtin.checkpoint;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Writes a file, little-endian, through a bounded buffer, and computes its checksum. Not thread-safe. */
final class CheckedOutput {
    private final FileChannel channel;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN);
    private long written;

    CheckedOutput(FileChannel channel) {
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
        i32(bytes.length);
        for (int at = 0; at < bytes.length; ) {
            int n = Math.min(bytes.length - at, need(1).remaining());
            buffer.put(bytes, at, n);
            at += n;
        }
    }

    void string(String text) throws IOException {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes the rows of a column from {@code begin} to {@code end}, exclusive, one tile of them after the other. */
    void rows(StoredColumn column, int begin, int end) throws IOException {
        int most = Tile.rows(column.width());
        for (int row = begin; row < end; row += most) {
            floats(column.read(row, Math.min(most, end - row)));
        }
    }

    private void floats(FloatArray values) throws IOException {
        for (int at = 0; at < values.length(); ) {
            int n = Math.min(values.length() - at, need(Float.BYTES).remaining() / Float.BYTES);
            ArrayMemory.write(values, at, at + n, buffer);
            at += n;
        }
    }

    /** Appends the CRC32C of all bytes before it, and returns it. */
    int finish() throws IOException {
        flush();
        int checksum = (int) crc.getValue();
        i32(checksum);
        flush();
        return checksum;
    }

    /** Returns the length of the file in bytes. Valid after {@link #finish}. */
    long written() {
        return written;
    }

    private ByteBuffer need(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    private void flush() throws IOException {
        buffer.flip();
        crc.update(buffer.duplicate());
        written += buffer.remaining();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }
}
