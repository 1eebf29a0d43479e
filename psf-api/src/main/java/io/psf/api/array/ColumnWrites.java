package io.psf.api.array;

import java.util.Objects;

/** Marks the rows of one column of a shard by the indices of elements. Used on the shard's lane. */
final class ColumnWrites {
    private final RowWrites rows;
    private final int width;
    /** The elements that need no mark: all if it is off, else those of the row that was marked last. */
    private int begin;

    private int end;

    /**
     * Creates the marks of a column.
     *
     * @param rows what gets the marks
     * @param width the number of elements in a row of the column
     */
    ColumnWrites(RowWrites rows, int width) {
        this.rows = rows;
        this.width = width;
        rows.add(this);
    }

    /** Forgets the row that was marked last. */
    void reset() {
        begin = 0;
        end = rows.isOn() ? 0 : Integer.MAX_VALUE;
    }

    boolean isOn() {
        return end != Integer.MAX_VALUE;
    }

    /** True if an element needs a mark. */
    boolean needs(int element) {
        return element < begin || element >= end;
    }

    /** Marks the rows of n elements. */
    void mark(int first, int n) {
        int row = first / width;
        int last = (first + n - 1) / width;
        if (n > 0) {
            rows.mark(row, last + 1);
            if (rows.isOn()) { // it may have ended with what was told
                begin = row * width;
                end = begin + width;
            }
        }
    }

    /**
     * Marks rows of a part of the column.
     *
     * @param some the numbers of the rows in that part, each below {@code limit}
     * @param from the index of the first of {@code some}
     * @param n the number of {@code some}
     * @param widthOfSome elements in each of these rows
     * @param first the first element of the part
     */
    void markRows(int[] some, int from, int n, int widthOfSome, int limit, int first) {
        if (widthOfSome == width && first % width == 0) {
            rows.mark(some, from, n, limit, first / width);
            return;
        }
        for (int i = from; i < from + n; i++) {
            mark(first + Objects.checkIndex(some[i], limit) * widthOfSome, widthOfSome);
        }
    }
}
