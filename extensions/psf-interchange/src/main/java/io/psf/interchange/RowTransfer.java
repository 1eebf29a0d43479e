package io.psf.interchange;

import io.psf.api.Caller;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.FetchRangePsf;
import io.psf.builtin.sparse.FetchRows;
import io.psf.builtin.sparse.FetchRowsPsf;
import io.psf.builtin.sparse.KeyPages;
import io.psf.builtin.sparse.StoreRows;
import io.psf.builtin.sparse.StoreRowsPsf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

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
            float[] values = FetchRangePsf.stub(caller)
                    .withDeadline(LIMIT)
                    .call(tensor.id(), LongArray.of(row), (int) Math.min(most(), tensor.rows() - row))
                    .await()
                    .values()
                    .toArray();
            out.floats(values, values.length);
            row += values.length / tensor.width();
        }
    }

    private void exportRows(long[] keys, ArrayWriter out) throws IOException {
        float[] values = new float[Math.multiplyExact(keys.length, tensor.width())];
        FetchRowsPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), LongArray.wrap(keys), new FetchRows.Response(FloatArray.wrap(values)))
                .await();
        out.floats(values, values.length);
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
                exportRows(in.longs((int) Math.min(most(), left)), out);
            }
        }
    }

    /** Sets all rows of a tensor that does not grow, after {@link FileArray#requireRows}. */
    void importRows(FileArray values) throws IOException {
        try (ArrayReader in = new ArrayReader(values.file(), values.offset())) {
            for (long row = 0; row < tensor.rows(); row += most()) {
                int n = (int) Math.min(most(), tensor.rows() - row);
                store(range(row, n), in, values.format());
            }
        }
    }

    /** Sets the rows of keys, after {@link FileArray#requireKeys} and {@link FileArray#requireRows}. */
    void importRows(FileArray keys, FileArray values) throws IOException {
        try (ArrayReader in = new ArrayReader(values.file(), values.offset());
                ArrayReader inKeys = new ArrayReader(keys.file(), keys.offset())) {
            for (long left = keys.info().elements(); left > 0; left -= most()) {
                store(inKeys.longs((int) Math.min(most(), left)), in, values.format());
            }
        }
    }

    private void store(long[] keys, ArrayReader in, ElementFormat format) throws IOException {
        float[] values = in.floats(format, Math.multiplyExact(keys.length, tensor.width()));
        StoreRows.Response unused = StoreRowsPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), LongArray.wrap(keys), FloatArray.wrap(values))
                .await();
    }
}
