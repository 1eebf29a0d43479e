package io.psf.interchange;

import io.psf.api.Caller;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Model;
import io.psf.builtin.sparse.FetchRangePsf;
import io.psf.builtin.sparse.FetchRows;
import io.psf.builtin.sparse.FetchRowsPsf;
import io.psf.builtin.sparse.KeyPages;
import io.psf.builtin.sparse.StoreRows;
import io.psf.builtin.sparse.StoreRowsPsf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Copies the rows of a tensor from the servers to a file and back, a piece of at most 1 MiB or one row at a time.
 *
 * @param caller calls the servers
 * @param tensor the tensor
 */
record RowTransfer(Caller caller, TensorInfo tensor) implements RowSource {
    private static final int FLOATS = 1 << 18;

    /** The number of keys of one slice on a page. */
    private static final int PAGE = 1 << 13;

    /** The deadline of each call: a lane may be saving a tensor. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private int most() {
        return Math.max(1, FLOATS / Math.max(2, tensor.width())); // with a key, a row of width 1 has 3 times its bytes
    }

    @Override
    public void exportRows(ArrayWriter out) throws IOException {
        for (long row = 0; row < tensor.rows(); ) {
            float[] values = fetchRange(row);
            out.floats(values, values.length);
            row += values.length / tensor.width();
        }
    }

    /** Returns the rows from one on, as many as are fetched at once. */
    private float[] fetchRange(long row) {
        return FetchRangePsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), LongArray.of(row), (int) Math.min(most(), tensor.rows() - row))
                .await()
                .values()
                .toArray();
    }

    private float[] fetch(long[] keys) {
        float[] values = new float[Math.multiplyExact(keys.length, tensor.width())];
        FetchRowsPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), LongArray.wrap(keys), new FetchRows.Response(FloatArray.wrap(values)))
                .await();
        return values;
    }

    private static long[] range(long from, int n) {
        long[] keys = new long[n];
        for (int i = 0; i < n; i++) {
            keys[i] = from + i;
        }
        return keys;
    }

    @Override
    public long exportKeys(ArrayWriter out) throws IOException {
        long n = 0;
        for (KeyPages pages = new KeyPages(caller, tensor.id(), PAGE); pages.hasNext(); ) {
            long[] keys = pages.next();
            out.longs(keys);
            n += keys.length;
        }
        return n;
    }

    @Override
    public void exportRows(Path keys, long offset, long n, ArrayWriter out) throws IOException {
        try (ArrayReader in = new ArrayReader(keys, offset)) {
            for (long left = n; left > 0; left -= most()) {
                float[] values = fetch(in.longs(ElementFormat.I64, (int) Math.min(most(), left)));
                out.floats(values, values.length);
            }
        }
    }

    @Override
    public void each(Model.Rows rows) {
        if (!tensor.grows()) {
            for (long row = 0; row < tensor.rows(); ) {
                float[] values = fetchRange(row);
                long[] keys = range(row, values.length / tensor.width());
                each(keys, values, rows);
                row += keys.length;
            }
            return;
        }
        for (KeyPages pages = new KeyPages(caller, tensor.id(), PAGE); pages.hasNext(); ) {
            long[] keys = pages.next();
            for (int at = 0; at < keys.length; at += most()) {
                long[] some = Arrays.copyOfRange(keys, at, Math.min(keys.length, at + most()));
                each(some, fetch(some), rows);
            }
        }
    }

    private void each(long[] keys, float[] values, Model.Rows rows) {
        int width = tensor.width();
        for (int i = 0; i < keys.length; i++) {
            rows.row(keys[i], Arrays.copyOfRange(values, i * width, (i + 1) * width));
        }
    }

    /**
     * Sets rows.
     *
     * @param keys their keys; null for 0, 1, 2 ..
     * @param values their values, each of the tensor's width
     * @param rows the number of rows
     */
    void importRows(@Nullable FileColumn keys, FileColumn values, long rows) throws IOException {
        try (NumberReader in = values.open();
                NumberReader inKeys = keys == null ? null : keys.open()) {
            for (long row = 0; row < rows; ) {
                int n = (int) Math.min(most(), rows - row);
                long[] some = inKeys == null ? range(row, n) : inKeys.longs(n);
                float[] ofSome = in.floats(Math.multiplyExact(n, tensor.width()));
                StoreRows.Response unused = StoreRowsPsf.stub(caller)
                        .withDeadline(LIMIT)
                        .call(tensor.id(), LongArray.wrap(some), FloatArray.wrap(ofSome))
                        .await();
                row += n;
            }
        }
    }
}
