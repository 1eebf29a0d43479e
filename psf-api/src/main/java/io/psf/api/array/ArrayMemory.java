package io.psf.api.array;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of arrays, for code that makes frames, files and stores. Programs that use psf, and handlers, do not need
 * it. All bytes are little-endian.
 */
public final class ArrayMemory {
    private ArrayMemory() {}

    /**
     * Returns a view of a buffer's bytes from its position to its limit, in which values have a type. Values are
     * converted when they are read and written.
     *
     * @param type {@code FLOAT32}, {@code FLOAT16} or {@code BFLOAT16}
     * @throws IllegalArgumentException if the bytes are not a whole number of elements, or the type is {@code INT8}
     */
    public static FloatArray view(ByteBuffer bytes, FloatType type) {
        return type == FloatType.FLOAT32 ? FloatArray.view(bytes) : HalfFloats.view(bytes, type, null);
    }

    /**
     * Returns a view as {@link #view(ByteBuffer, FloatType)} does. Values that are written are rounded to one of their
     * two neighbours at random.
     *
     * @param type {@code FLOAT16} or {@code BFLOAT16}
     * @param seed selects the sequence of random numbers, the same in each run
     */
    public static FloatArray viewStochastic(ByteBuffer bytes, FloatType type, long seed) {
        return HalfFloats.view(bytes, type, new RandomBits(seed));
    }

    /**
     * Returns a view of a column of a shard, [rows, width], which marks the rows that are written to through it, or
     * through a slice of it.
     *
     * @param rows what gets the marks
     */
    public static FloatArray marking(FloatArray column, int width, RowWrites rows) {
        return column.marking(new ColumnWrites(rows, width));
    }

    /**
     * Returns the off-heap bytes behind an array as {@link FloatArray#offHeap} does, and marks no row of a shard: for
     * reading, or for a caller that tells what it writes ({@link #mark}).
     */
    public static @Nullable ByteBuffer offHeap(FloatArray array) {
        return array.memory();
    }

    /** Marks the rows of a shard whose elements are written to through {@link #offHeap}. */
    public static void mark(FloatArray array, int begin, int n) {
        array.mark(begin, n);
    }

    /**
     * Marks some rows of a shard that are written to through {@link #offHeap}.
     *
     * @param array [_, width]
     * @param rows the numbers of the rows
     * @param from the index of the first of {@code rows} to mark
     * @param n the number of {@code rows} to mark
     */
    public static void markRows(FloatArray array, int[] rows, int from, int n, int width) {
        array.markRows(rows, from, n, width);
    }

    /**
     * Returns a view of a buffer's bytes from its position to its limit, in which values are integers of 8 bits: a
     * float32 factor for each block of values, then an int8 for each value. The view can only be read.
     *
     * @param block the number of consecutive values that share a factor, at least 1
     * @param n the number of values
     * @throws IllegalArgumentException if there are more or fewer bytes than n values have
     */
    public static FloatArray viewBlocks(ByteBuffer bytes, int block, int n) {
        return ByteFloats.view(bytes, block, n);
    }

    /** Writes the elements {@code [begin, end)} of an array at the buffer's position, and advances the position. */
    public static void write(SharedArray array, int begin, int end, ByteBuffer out) {
        array.write(begin, end, out);
    }

    /**
     * Writes rows of an array, [_, width], at the buffer's position, one after the other, and advances the position.
     *
     * @param rows the numbers of the rows
     * @param from the index of the first of {@code rows} to write
     * @param to one past the index of the last of {@code rows} to write
     * @param width elements in a row
     */
    public static void writeRows(SharedArray array, int[] rows, int from, int to, int width, ByteBuffer out) {
        array.writeRows(rows, from, to, width, out);
    }

    /**
     * Returns the address of the first element of a direct buffer, regardless of its position; 0 if it is not direct, or
     * this JVM tells no addresses. The buffer has to stay reachable while the address is used.
     */
    public static long address(Buffer buffer) {
        return Addresses.of(buffer);
    }

    /** Returns a little-endian view of the same bytes; the buffer itself if it is little-endian already. */
    public static ByteBuffer littleEndian(ByteBuffer bytes) {
        return SharedArray.littleEndian(bytes);
    }
}
