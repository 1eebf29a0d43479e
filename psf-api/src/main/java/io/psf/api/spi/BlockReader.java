package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads scalars, texts and copied arrays, in order, from the block of a tuple. Every length is checked against the
 * block before any read or allocation, and what is made on the heap may be counted before it is made. A {@link
 * TupleReader} is one that also reads the rest of a body.
 */
public abstract sealed class BlockReader permits TupleReader {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Bytes of heap memory that a reader makes without a count. */
    private static final long UNCOUNTED = 1 << 10;

    // The bytes that are taken at a time: at first, and at most, if that suffices.
    private static final long FIRST = 4 << 10;
    private static final long STEP = 64 << 10;

    // The least bytes of one object, list or map, and of one element, without the contents that are read.
    private static final int OF_TEXT = 56;
    private static final int OF_ARRAY = 16;
    private static final int OF_LIST = 96;
    private static final int OF_ELEMENT = 64;

    private ByteBuffer block = NOTHING;
    private int start;
    private int length;
    private int at;

    /** The reader that counts what this one makes. */
    private final BlockReader counter;

    private @Nullable HeapMemory memory;
    /** Estimated bytes of the objects that were made. */
    private long made;
    /** Bytes that were taken from the memory. */
    private long taken;

    /**
     * Creates a reader of nothing.
     *
     * @param counter the reader that counts what this one makes; null for itself
     */
    BlockReader(@Nullable BlockReader counter) {
        this.counter = counter == null ? this : counter;
    }

    /** The memory of the lists, maps, texts and copied arrays that requests are decoded to. */
    public interface HeapMemory {
        /**
         * Takes memory before objects are made.
         *
         * @param bytes negative to give some of it back
         * @throws PsException with {@code RESOURCE_EXHAUSTED} if there is not as much
         */
        void take(long bytes);
    }

    /**
     * Counts the objects that are made from now on against a memory, until {@link #settle}; the smallest tuples are
     * free.
     */
    public final void countIn(HeapMemory counted) {
        memory = counted;
        made = 0;
        taken = 0;
    }

    /** Takes the memory of what was made exactly, and counts no more. */
    public final void settle() {
        HeapMemory counted = memory;
        memory = null;
        if (counted != null && taken != 0) {
            counted.take(made - taken);
        }
    }

    private void makes(long bytes) {
        counter.made += bytes;
        if (counter.memory != null && counter.made - counter.taken > (counter.taken == 0 ? UNCOUNTED : 0)) {
            counter.takeMore(counter.memory);
        }
    }

    private void takeMore(HeapMemory from) {
        long more = Math.max(made - taken, Math.min(STEP, Math.max(FIRST, taken)));
        from.take(more);
        taken += more;
    }

    /** Begins to read a block that is part of a little-endian buffer. */
    final void block(ByteBuffer in, int from, int blockLength) {
        block = in;
        start = from;
        length = blockLength;
        at = 0;
    }

    /** Ends the block earlier, because the rest has readers of its own. */
    final void shorten(int blockLength) {
        length = blockLength;
    }

    /** Drops the reference to the buffer, so that its memory can be collected until this reader is used again. */
    public final void end() {
        block = NOTHING;
    }

    /** Returns the buffer, whose position is not used. */
    final ByteBuffer buffer() {
        return block;
    }

    /** Returns the index of the block's first byte in the buffer. */
    final int start() {
        return start;
    }

    /** Returns the index of the next byte in the buffer. */
    final int position() {
        return start + at;
    }

    public final boolean bool() {
        byte value = i8();
        if (value != 0 && value != 1) {
            throw malformed("boolean: " + value);
        }
        return value == 1;
    }

    public final byte i8() {
        return block.get(take(1));
    }

    public final short i16() {
        return block.getShort(take(2));
    }

    public final int i32() {
        return block.getInt(take(4));
    }

    public final long i64() {
        return block.getLong(take(8));
    }

    public final float f32() {
        return block.getFloat(take(4));
    }

    public final double f64() {
        return block.getDouble(take(8));
    }

    /**
     * Reads a text.
     *
     * @throws PsException with {@code PROTOCOL} if the bytes are not UTF-8
     */
    public final String string() {
        byte[] text = bytes();
        makes(OF_TEXT + text.length);
        return Utf8.decode(text);
    }

    /**
     * Reads a constant of an enum.
     *
     * @throws PsException with {@code SCHEMA_MISMATCH} if this side does not have the constant
     */
    public final <E extends Enum<E>> E enumeration(E[] constants) {
        int ordinal = ordinal(constants);
        if (ordinal >= constants.length) {
            throw new PsException(
                    PsException.Code.SCHEMA_MISMATCH,
                    "constant of enum " + constants[0].getDeclaringClass().getSimpleName() + ": number " + ordinal
                            + " (expected: 0 to " + (constants.length - 1) + ", one of " + Arrays.toString(constants)
                            + "; the peer's enum is newer, and no constant of this one is @Unknown)");
        }
        return constants[ordinal];
    }

    /**
     * Reads a constant of an enum.
     *
     * @param unknown the constant to return for constants that this side does not have
     */
    public final <E extends Enum<E>> E enumeration(E[] constants, E unknown) {
        int ordinal = ordinal(constants);
        return ordinal < constants.length ? constants[ordinal] : unknown;
    }

    private int ordinal(Enum<?>[] constants) {
        int ordinal = i32();
        if (ordinal < 0) {
            throw malformed(
                    "constant of enum " + constants[0].getDeclaringClass().getSimpleName() + ": number " + ordinal
                            + " (expected: 0 to " + (constants.length - 1) + ")");
        }
        return ordinal;
    }

    /**
     * Adds an entry to a map that is being read.
     *
     * @throws PsException with {@code PROTOCOL} if the map already has the key
     */
    public static <V> void put(Map<String, V> map, String key, V value) {
        if (map.put(key, value) != null) {
            throw malformed("map: key \"" + key + "\" twice (expected: once)");
        }
    }

    public final TensorId tensor() {
        String name = string();
        try {
            return TensorId.of(name);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads the number of the elements that follow.
     *
     * @param size the minimum size of an element in bytes, at least 1
     */
    public final int count(int size) {
        int n = length(size);
        makes(OF_LIST + n * (OF_ELEMENT + 2L * size));
        return n;
    }

    /** Reads the length of a text or array, and counts the bytes of the array. */
    private int elements(int size) {
        int n = length(size);
        makes(OF_ARRAY + (long) n * size);
        return n;
    }

    private int length(int size) {
        int n = i32();
        if (n < 0 || (long) n * size > left()) {
            throw malformed("count: " + n + " elements with " + left() + " bytes left");
        }
        return n;
    }

    public final byte[] bytes() {
        byte[] values = new byte[elements(1)];
        block.get(take(values.length), values);
        return values;
    }

    public final boolean[] booleans() {
        boolean[] values = new boolean[elements(1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = bool();
        }
        return values;
    }

    public final int[] ints() {
        int[] values = new int[elements(4)];
        copied(4 * values.length).asIntBuffer().get(values);
        return values;
    }

    public final long[] longs() {
        long[] values = new long[elements(8)];
        copied(8 * values.length).asLongBuffer().get(values);
        return values;
    }

    public final float[] floats() {
        float[] values = new float[elements(4)];
        copied(4 * values.length).asFloatBuffer().get(values);
        return values;
    }

    public final double[] doubles() {
        double[] values = new double[elements(8)];
        copied(8 * values.length).asDoubleBuffer().get(values);
        return values;
    }

    private ByteBuffer copied(int bytes) {
        return block.slice(take(bytes), bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private int left() {
        return length - at;
    }

    private int take(int bytes) {
        if (bytes > left()) {
            throw malformed("bytes in the block: " + length + " (expected: more)");
        }
        int from = start + at;
        at += bytes;
        return from;
    }

    static PsException malformed(String what) {
        return new PsException(PsException.Code.PROTOCOL, "tuple: " + what);
    }
}
