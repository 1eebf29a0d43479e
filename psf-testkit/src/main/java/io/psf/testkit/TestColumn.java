package io.psf.testkit;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.util.function.Supplier;

/**
 * The values or a slot of a {@link TestShard}, as saving and loading access them. Reads are copies, as those of a shard
 * outside of host memory.
 *
 * @param width the number of floats in a row
 * @param rows returns the present rows
 */
record TestColumn(int width, Supplier<FloatArray> rows) implements StoredColumn {
    @Override
    public FloatArray read(int row, int n) {
        return rows.get().slice(row * width, (row + n) * width).copy();
    }

    @Override
    public void write(int row, FloatArray values) {
        rows.get().copyFrom(row * width, values);
    }

    @Override
    public void write(int[] rows, int n, FloatArray values) {
        this.rows.get().scatter(values, rows, 0, n, width);
    }

    @Override
    public void clear() {
        rows.get().fill(0);
    }
}
