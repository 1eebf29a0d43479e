package io.psf.runtime.internal.server.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.array.RowFloats;
import io.psf.api.spi.StoredColumn;

/**
 * The rows of a column that exist, as saving and loading access them. Reads are views.
 *
 * @param column the memory of the rows
 * @param index the rows that exist
 */
record HostColumn(Column column, RowIndex index) implements StoredColumn {
    @Override
    public int width() {
        return column.width();
    }

    @Override
    public FloatArray read(int row, int n) {
        column.load(row, n);
        return rows().slice(row * width(), (row + n) * width());
    }

    @Override
    public FloatArray read(int[] numbers, int from, int n) {
        column.load(numbers, from, n);
        return RowFloats.of(rows(), numbers, from, n, width());
    }

    @Override
    public void write(int row, FloatArray values) {
        rows().nearest().copyFrom(row * width(), values);
    }

    @Override
    public void write(int[] rows, int n, FloatArray values) {
        column.load(rows, 0, n);
        rows().nearest().scatter(values, rows, 0, n, width());
    }

    @Override
    public void clear() {
        rows().fill(0);
    }

    private FloatArray rows() {
        return column.of(index.rows());
    }
}
