package io.psf.api.spi;

import io.psf.api.array.FloatArray;

/**
 * The values of a shard, or one of its slots, as saving and loading access them: some rows at a time. Row numbers are
 * the shard's numbers at the time of the call. A row outside the shard is an {@link IndexOutOfBoundsException}.
 */
public interface StoredColumn {
    /** Returns the number of floats in a row. */
    int width();

    /**
     * Returns consecutive rows, [n, width] float32: a view or a copy, read only, valid until the next call on the
     * shard.
     *
     * @param row the first row
     * @param n the number of rows
     */
    FloatArray read(int row, int n);

    /**
     * Returns rows by their numbers, [n, width] float32: a view or a copy, read only, valid until the next call on the
     * shard.
     *
     * @param rows row numbers
     * @param from the index of the first of {@code rows} to read
     * @param n the number of {@code rows} to read
     */
    default FloatArray read(int[] rows, int from, int n) {
        FloatArray values = FloatArray.allocate(n * width());
        for (int i = 0; i < n; i++) {
            values.copyFrom(i * width(), read(rows[from + i], 1));
        }
        return values;
    }

    /**
     * Replaces consecutive rows.
     *
     * @param row the first row
     * @param values [n, width] float32; borrowed until the method returns
     */
    void write(int row, FloatArray values);

    /**
     * Replaces rows by their numbers.
     *
     * @param rows [at least n], row numbers, the first n of them different from each other
     * @param n the number of rows
     * @param values [n, width] float32; borrowed until the method returns
     */
    void write(int[] rows, int n, FloatArray values);

    /** Sets all values of all rows to zero. */
    void clear();
}
