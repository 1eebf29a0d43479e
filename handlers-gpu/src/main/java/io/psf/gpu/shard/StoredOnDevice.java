package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** The values of a shard on a device, or one of its slots, as saving and loading access them. */
final class StoredOnDevice implements StoredColumn {
    private final DeviceRows rows;
    private final DeviceColumn column;
    private final Workspace workspace;

    StoredOnDevice(DeviceRows rows, DeviceColumn column) {
        this.rows = rows;
        this.column = column;
        this.workspace = rows.workspace();
    }

    @Override
    public int width() {
        return column.width();
    }

    @Override
    public FloatArray read(int row, int n) {
        Objects.checkFromIndexSize(row, n, rows.count());
        return rows.operation(kernels -> {
            ByteBuffer bytes = workspace.pinned(Math.toIntExact((long) n * width() * Float.BYTES));
            if (n > 0) {
                workspace.stream().copyOut(floats(kernels, row, n), bytes);
                workspace.stream().synchronize();
            }
            return FloatArray.view(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
        });
    }

    /** Returns the address of rows as float32. */
    private long floats(Kernels kernels, int row, int n) {
        if (!column.type().isHalf()) {
            return column.addressToRead() + row * column.bytesOfRow();
        }
        long values = (long) n * width();
        long decoded = workspace.scratch("decoded", values * Float.BYTES).address();
        kernels.decode(column.rowsToRead(), (long) row * width(), decoded, values);
        return decoded;
    }

    @Override
    public void write(int row, FloatArray values) {
        Objects.checkFromIndexSize(row, values.length() / width(), rows.count());
        writeAt(row, values);
    }

    /** Writes rows, also rows that the host does not count yet. */
    void writeAt(int row, FloatArray values) {
        SameValue same = column.same();
        int before = same == null ? 0 : same.written();
        Rows to = column.rows();
        rows.operation(kernels -> {
            rows.pieces().in(values, width(), (piece, first, n) -> {
                if (to.type().isHalf()) {
                    kernels.encode(to, (long) (row + first) * width(), piece, (long) n * width());
                } else {
                    long at = to.address() + (row + first) * column.bytesOfRow();
                    workspace.stream().copy(piece, at, n * column.bytesOfRow());
                }
            });
            workspace.stream().synchronize();
            return null;
        });
        if (same != null && values.length() > 0) {
            same.wrote(row, values.length(), before, values.get(0), areEqual(values));
        }
    }

    private static boolean areEqual(FloatArray values) {
        int i = 1;
        while (i < values.length() && values.get(i) == values.get(0)) {
            i++;
        }
        return i == values.length();
    }

    @Override
    public void write(int[] numbers, int n, FloatArray values) {
        for (int i = 0; i < n; i++) {
            Objects.checkIndex(numbers[i], rows.count());
        }
        rows.operation(kernels -> {
            Block to = rows.transfers().upload("stored rows", numbers, n);
            rows.pieces()
                    .in(
                            values.slice(0, n * width()),
                            width(),
                            (piece, first, some) -> kernels.scatter(
                                    column.rows(), to.address() + (long) first * Integer.BYTES, some, piece));
            workspace.stream().synchronize();
            return null;
        });
    }

    @Override
    public void clear() {
        rows.operation(kernels -> {
            column.clear(0, rows.count());
            workspace.stream().synchronize();
            return null;
        });
    }
}
