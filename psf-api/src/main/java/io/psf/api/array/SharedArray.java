package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.StringJoiner;
import java.util.function.IntFunction;

/** What the arrays of a tuple have in common: their memory goes to the transport as it is. */
public sealed interface SharedArray permits ByteArray, IntArray, LongArray, FloatArray, DoubleArray {
    /** How many elements. */
    int length();

    /** What the elements are. */
    ElementType type();

    /**
     * A view of the elements {@code [begin, end)}.
     *
     * @throws IndexOutOfBoundsException if they do not lie in the array
     */
    SharedArray slice(int begin, int end);

    /** A copy on the heap. */
    SharedArray copy();

    /** Writes the elements {@code [begin, end)} little-endian at the buffer's position, and moves it behind them. */
    void write(int begin, int end, ByteBuffer out);

    /**
     * Writes rows of this array, [_, width], little-endian at the buffer's position, one after the other, and moves it
     * behind them.
     *
     * @param rows which rows
     * @param from the first of {@code rows} to write
     * @param to one past the last of {@code rows} to write
     * @param width elements in a row
     */
    void writeRows(int[] rows, int from, int to, int width, ByteBuffer out);

    /**
     * Copies all of another array of the same type into this one, from {@code at} on.
     *
     * @throws ClassCastException if the other array is of another type
     */
    void copyFrom(int at, SharedArray source);

    /**
     * Copies n rows of another array of the same type, [_, width], from row {@code from} on, to row {@code to} of this one
     * and those that follow it.
     *
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row does not lie in its array
     */
    void copyRows(int to, SharedArray source, int from, int n, int width);

    /** Copies one row: {@link #copyRows} with n = 1. */
    default void copyRow(int to, SharedArray source, int from, int width) {
        copyRows(to, source, from, 1, width);
    }

    /**
     * Copies rows of another array of the same type, [_, width], into the beginning of this one, one after the other. Rows
     * that follow one another are copied at once.
     *
     * @param rows which rows of the other array
     * @param begin the first of {@code rows} to copy
     * @param end one past the last of {@code rows} to copy
     * @param width elements in a row
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row does not lie in its array
     */
    void gather(SharedArray source, int[] rows, int begin, int end, int width);

    /**
     * Copies the first rows of another array of the same type, [_, width], to rows of this one: the way back of
     * {@link #gather}.
     *
     * @param rows which rows of this array
     * @param begin which of {@code rows} the other array's first row goes to
     * @param end one past the last of {@code rows} to copy to
     * @param width elements in a row
     * @throws ClassCastException if the other array is of another type
     * @throws IndexOutOfBoundsException if a row does not lie in its array
     */
    void scatter(SharedArray source, int[] rows, int begin, int end, int width);

    /** Whether most rows seem to follow one another: then they are copied many at a time. */
    static boolean areTogether(int[] rows, int begin, int end) {
        int n = end - begin;
        int span = n == 0 ? -1 : rows[end - 1] - rows[begin];
        return span >= 0 && span - n < n / 8;
    }

    /** {@link #gather} of rows that follow one another. */
    static void gatherTogether(SharedArray target, SharedArray source, int[] rows, int begin, int end, int width) {
        for (int i = begin; i < end; ) {
            int n = following(rows, i, end);
            target.copyRows(i - begin, source, rows[i], n, width);
            i += n;
        }
    }

    /** {@link #scatter} to rows that follow one another. */
    static void scatterTogether(SharedArray target, SharedArray source, int[] rows, int begin, int end, int width) {
        for (int i = begin; i < end; ) {
            int n = following(rows, i, end);
            target.copyRows(rows[i], source, i - begin, n, width);
            i += n;
        }
    }

    /** How many rows follow one another. */
    private static int following(int[] rows, int begin, int end) {
        int i = begin + 1;
        while (i < end && rows[i] == rows[i - 1] + 1) {
            i++;
        }
        return i - begin;
    }

    /** Checks that rows lie in an array. */
    static void requireRows(int row, int n, int width, int length) {
        if (row < 0 || n < 0 || width < 0 || ((long) row + n) * width > length) {
            throw new IndexOutOfBoundsException("rows: [" + row + ", " + ((long) row + n) + "), " + width
                    + " wide (expected: in an array of " + length + " elements)");
        }
    }

    /** Checks the length of a new array. */
    static void requireLength(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("length: " + n + " (expected: >= 0)");
        }
    }

    /** The same bytes in the same place, read and written little-endian; the buffer itself if it is so already. */
    static ByteBuffer littleEndian(ByteBuffer bytes) {
        return bytes.order() == ByteOrder.LITTLE_ENDIAN
                ? bytes
                : bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Checks that bytes are a whole number of elements. */
    static void requireWhole(int bytes, ElementType type) {
        if (bytes % type.size() != 0) {
            throw new IllegalArgumentException(
                    "bytes: " + bytes + " (expected: a multiple of " + type.size() + ", the size of " + type + ")");
        }
    }

    /** The first elements of an array as text. */
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
}
