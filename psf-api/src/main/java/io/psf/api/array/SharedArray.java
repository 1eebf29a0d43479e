package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.StringJoiner;
import java.util.function.IntFunction;

/** The common class of the arrays of a tuple. Their memory is passed to the transport without conversion. */
public abstract sealed class SharedArray permits ByteArray, IntArray, LongArray, FloatArray, DoubleArray {
    SharedArray() {}

    /** Returns the number of elements. */
    public abstract int length();

    /** Returns the type of the elements. */
    public abstract ElementType type();

    /**
     * Returns a view of the elements {@code [begin, end)}.
     *
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public abstract SharedArray slice(int begin, int end);

    /** Returns an on-heap copy. */
    public abstract SharedArray copy();

    /** Writes the elements {@code [begin, end)} little-endian at the buffer's position, and advances the position. */
    abstract void write(int begin, int end, ByteBuffer out);

    /**
     * Writes rows of this array, [_, width], little-endian at the buffer's position, one after the other, and advances
     * the position.
     *
     * @param rows the numbers of the rows
     * @param from the index of the first of {@code rows} to write
     * @param to one past the index of the last of {@code rows} to write
     * @param width elements in a row
     */
    abstract void writeRows(int[] rows, int from, int to, int width, ByteBuffer out);

    /**
     * Copies a whole array of the same type into this array, from index {@code at}.
     *
     * @throws ClassCastException if the other array is of another type
     */
    public abstract void copyFrom(int at, SharedArray source);

    /**
     * Copies n consecutive rows of another array of the same type, [_, width], from row {@code from} on, to this array
     * from row {@code to} on.
     *
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row is not within its array
     */
    public abstract void copyRows(int to, SharedArray source, int from, int n, int width);

    /** Copies one row: {@link #copyRows} with n = 1. */
    public void copyRow(int to, SharedArray source, int from, int width) {
        copyRows(to, source, from, 1, width);
    }

    /**
     * Copies rows of another array of the same type, [_, width], to the beginning of this array, one after the other.
     * Consecutive rows are copied at once.
     *
     * @param rows the numbers of the rows in the other array
     * @param begin the index of the first of {@code rows} to copy
     * @param end one past the index of the last of {@code rows} to copy
     * @param width elements in a row
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row is not within its array
     */
    public abstract void gather(SharedArray source, int[] rows, int begin, int end, int width);

    /**
     * Copies the first rows of another array of the same type, [_, width], to rows of this array: the inverse of
     * {@link #gather}.
     *
     * @param rows the numbers of the rows in this array
     * @param begin the index of the element of {@code rows} to which the other array's first row is copied
     * @param end one past the index of the last of {@code rows} to copy to
     * @param width elements in a row
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row is not within its array
     */
    public abstract void scatter(SharedArray source, int[] rows, int begin, int end, int width);

    /**
     * True if most rows appear to be consecutive, in which case consecutive rows are copied at once. A heuristic: only
     * the first and the last row number are compared.
     */
    static boolean areTogether(int[] rows, int begin, int end) {
        int n = end - begin;
        int span = n == 0 ? -1 : rows[end - 1] - rows[begin];
        return span >= 0 && span - n < n / 8;
    }

    /** Implements {@link #gather} for mostly consecutive rows. */
    static void gatherTogether(SharedArray target, SharedArray source, int[] rows, int begin, int end, int width) {
        for (int i = begin; i < end; ) {
            int n = following(rows, i, end);
            target.copyRows(i - begin, source, rows[i], n, width);
            i += n;
        }
    }

    /** Implements {@link #scatter} for mostly consecutive rows. */
    static void scatterTogether(SharedArray target, SharedArray source, int[] rows, int begin, int end, int width) {
        for (int i = begin; i < end; ) {
            int n = following(rows, i, end);
            target.copyRows(rows[i], source, i - begin, n, width);
            i += n;
        }
    }

    /** Returns the number of consecutive rows from {@code begin} on. */
    private static int following(int[] rows, int begin, int end) {
        int i = begin + 1;
        while (i < end && rows[i] == rows[i - 1] + 1) {
            i++;
        }
        return i - begin;
    }

    /** Checks that rows are within an array. */
    static void requireRows(int row, int n, int width, int length) {
        if (row < 0 || n < 0 || width < 0 || ((long) row + n) * width > length) {
            throw new IndexOutOfBoundsException("rows: [" + row + ", " + ((long) row + n) + "), " + width
                    + " wide (expected: rows within the " + length + " elements)");
        }
    }

    /** Checks the length of a new array. */
    static void requireLength(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("length: " + n + " (expected: >= 0)");
        }
    }

    /** Checks that another array has this array's length. */
    static void requireLength(String name, int length, int expected) {
        if (length != expected) {
            throw new IllegalArgumentException(
                    "length of " + name + ": " + length + " (expected: " + expected + ", the length of this array)");
        }
    }

    /** Checks that the number of bytes is a whole number of elements. */
    static void requireWhole(int bytes, ElementType type) {
        if (bytes % type.size() != 0) {
            throw new IllegalArgumentException(
                    "bytes: " + bytes + " (expected: a multiple of " + type.size() + ", the size of " + type + ")");
        }
    }

    /** Returns the first 16 elements of an array as text. */
    static String text(SharedArray array, IntFunction<String> element) {
        StringJoiner text = new StringJoiner(", ", "[", "]");
        int shown = Math.min(array.length(), 16);
        for (int i = 0; i < shown; i++) {
            text.add(element.apply(i));
        }
        if (shown < array.length()) {
            text.add("... " + array.length() + " in all");
        }
        return text.toString();
    }

    /** Returns a little-endian view of the same bytes; the buffer itself if it is little-endian already. */
    static ByteBuffer littleEndian(ByteBuffer bytes) {
        return bytes.order() == ByteOrder.LITTLE_ENDIAN
                ? bytes
                : bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    // Little-endian views of a buffer's bytes from its position to its limit, for the arrays of each type.

    static ByteBuffer bytes(ByteBuffer bytes) {
        return bytes.slice();
    }

    static IntBuffer ints(ByteBuffer bytes) {
        return littleEndian(bytes).asIntBuffer();
    }

    static LongBuffer longs(ByteBuffer bytes) {
        return littleEndian(bytes).asLongBuffer();
    }

    static DoubleBuffer doubles(ByteBuffer bytes) {
        return littleEndian(bytes).asDoubleBuffer();
    }
}
