package io.psf.api.array;

import java.util.Objects;

/**
 * Rows of another array, one after the other, as a view that can only be read: a writer of frames copies the rows from
 * where they are, piece by piece, with no copy of all of them in between. The view is valid as long as neither the
 * other array nor the numbers of the rows change.
 */
public final class RowFloats extends ReadOnlyFloats {
    private final FloatArray source;
    private final int[] rows;
    /** The index of the number of this array's first row. */
    private final int firstRow;

    private final int width;
    private final int length;
    /** The rows before this one are loaded into the processor's cache, if they are read in order. */
    private int loaded;

    private RowFloats(FloatArray source, int[] rows, int firstRow, int n, int width) {
        this.source = source;
        this.rows = rows;
        this.firstRow = firstRow;
        this.width = width;
        this.length = Math.multiplyExact(n, width);
    }

    /**
     * Returns a view of rows.
     *
     * @param source [_, width], the array that has the rows
     * @param rows the numbers of the rows; they are not copied
     * @param firstRow the index of the first of {@code rows}
     * @param n the number of {@code rows}
     * @param width elements in a row, at least 1
     * @throws IndexOutOfBoundsException if there are fewer than {@code firstRow + n} numbers
     */
    public static RowFloats of(FloatArray source, int[] rows, int firstRow, int n, int width) {
        Objects.checkFromIndexSize(firstRow, n, rows.length);
        if (width < 1) {
            throw new IllegalArgumentException("width: " + width + " (expected: at least 1)");
        }
        return new RowFloats(source, rows, firstRow, n, width);
    }

    /** Returns the array that has the rows. */
    public FloatArray source() {
        return source;
    }

    /** Returns the numbers of the rows, from index {@link #firstRow} on. */
    public int[] rows() {
        return rows;
    }

    /** Returns the index of the first number in {@link #rows}. */
    public int firstRow() {
        return firstRow;
    }

    /** Returns the number of elements in a row. */
    public int width() {
        return width;
    }

    @Override
    public FloatType stored() {
        return source.stored();
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public float get(int i) {
        Objects.checkIndex(i, length);
        return source.get(rows[firstRow + i / width] * width + i % width);
    }

    /** Returns a view of the elements; a copy, unless they are whole rows. */
    @Override
    public FloatArray slice(int begin, int end) {
        Objects.checkFromToIndex(begin, end, length);
        if (begin % width == 0 && end % width == 0) {
            return new RowFloats(source, rows, firstRow + begin / width, (end - begin) / width, width);
        }
        float[] some = new float[end - begin];
        copyTo(begin, some, 0, some.length);
        return FloatArray.wrap(some);
    }

    @Override
    public void copyTo(int begin, float[] target, int at, int n) {
        Objects.checkFromIndexSize(begin, n, length);
        for (int done = 0; done < n; ) {
            int row = (begin + done) / width;
            int from = (begin + done) % width;
            int some = Math.min(width - from, n - done);
            if (row == loaded) {
                load(row);
            }
            source.copyTo(rows[firstRow + row] * width + from, target, at + done, some);
            done += some;
        }
    }

    private void load(int row) {
        int some = Math.min(rowsToPrefetch(width, 1), length / width - row);
        source.prefetchRows(rows, firstRow + row, some, width);
        loaded = row + some;
    }

    @Override
    UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException(
                "write: to a view of rows, which is read-only (expected: a write to its copy())");
    }
}
