package io.psf.api.array;

/**
 * Marks the rows of one column of a shard by the indices of elements. Used on the shard's lane.
 *
 * @param rows what gets the marks
 * @param width the number of elements in a row of the column
 */
record ColumnWrites(RowWrites rows, int width) {
    boolean isOn() {
        return rows.isOn();
    }

    /** Marks the rows of n elements from {@code begin} on. */
    void mark(int begin, int n) {
        if (n == width && begin % width == 0) {
            rows.mark(begin / width);
        } else if (n > 0) {
            rows.mark(begin / width, (begin + n - 1) / width + 1);
        }
    }
}
