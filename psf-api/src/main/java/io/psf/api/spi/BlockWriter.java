package io.psf.api.spi;

import io.psf.api.TensorId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Packs scalars, texts and copied arrays, in order, into the block of a tuple. A {@link TupleWriter} is a block writer
 * that also writes the rest of a body.
 */
public abstract sealed class BlockWriter permits TupleWriter {
    private static final int MAX_BLOCK = 1 << 28;
    /** The most characters of a text that is written character by character. The JDK encodes longer texts faster. */
    private static final int SHORT = 32;

    private ByteBuffer block = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

    BlockWriter() {}

    /** Returns the block, whose position is its length. */
    final ByteBuffer block() {
        return block;
    }

    /** Returns the length of the block in bytes, without padding. */
    public final int blockLength() {
        return block.position();
    }

    public final void bool(boolean value) {
        need(1).put((byte) (value ? 1 : 0));
    }

    public final void i8(byte value) {
        need(1).put(value);
    }

    public final void i16(short value) {
        need(2).putShort(value);
    }

    public final void i32(int value) {
        need(4).putInt(value);
    }

    public final void i64(long value) {
        need(8).putLong(value);
    }

    public final void f32(float value) {
        need(4).putFloat(value);
    }

    public final void f64(double value) {
        need(8).putDouble(value);
    }

    /**
     * Writes a text.
     *
     * @throws IllegalArgumentException if the text has half of a surrogate pair, which cannot be encoded in UTF-8
     */
    public final void string(String value) {
        if (value.length() > SHORT || !ascii(value)) {
            bytes(Utf8.encode(value));
        }
    }

    /**
     * Writes a text without garbage and returns true if all its characters are ASCII; otherwise leaves the block
     * unchanged.
     */
    private boolean ascii(String value) {
        int length = value.length();
        int at = need(4L + length).position() + 4;
        if (!Utf8.ascii(value, block.array(), at)) {
            return false;
        }
        block.putInt(length).position(at + length);
        return true;
    }

    public final void enumeration(Enum<?> value) {
        i32(value.ordinal());
    }

    public final void tensor(TensorId value) {
        string(value.name());
    }

    /** Writes the number of the elements that follow. */
    public final void count(int n) {
        i32(n);
    }

    public final void bytes(byte[] values) {
        count(values.length);
        need(values.length).put(values);
    }

    public final void booleans(boolean[] values) {
        count(values.length);
        ByteBuffer out = need(values.length);
        for (boolean value : values) {
            out.put((byte) (value ? 1 : 0));
        }
    }

    public final void ints(int[] values) {
        count(values.length);
        need(4L * values.length).asIntBuffer().put(values);
        block.position(block.position() + 4 * values.length);
    }

    public final void longs(long[] values) {
        count(values.length);
        need(8L * values.length).asLongBuffer().put(values);
        block.position(block.position() + 8 * values.length);
    }

    public final void floats(float[] values) {
        count(values.length);
        need(4L * values.length).asFloatBuffer().put(values);
        block.position(block.position() + 4 * values.length);
    }

    public final void doubles(double[] values) {
        count(values.length);
        need(8L * values.length).asDoubleBuffer().put(values);
        block.position(block.position() + 8 * values.length);
    }

    /** Returns the block with space for some more bytes. */
    final ByteBuffer need(long bytes) {
        if (block.remaining() < bytes) {
            long wanted = block.position() + bytes;
            if (wanted > MAX_BLOCK) {
                throw new IllegalArgumentException("bytes of scalars and copied arrays: " + wanted
                        + " (expected: at most " + MAX_BLOCK + "; use shared arrays)");
            }
            ByteBuffer larger = ByteBuffer.allocate((int) Math.max(wanted, 2L * block.capacity()))
                    .order(ByteOrder.LITTLE_ENDIAN);
            larger.put(block.flip());
            block = larger;
        }
        return block;
    }
}
