package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.gpu.driver.Block;
import org.jspecify.annotations.Nullable;

/** Sums of the rows of bags of keys, of a shard on a device. Used on the shard's lane. */
final class BagSums {
    private final DeviceRows rows;

    BagSums(DeviceRows rows) {
        this.rows = rows;
    }

    /**
     * The bags {@code [first, first + n)} of a call.
     *
     * @param keys the address of all keys
     * @param items the address of the rows of all keys
     * @param ends the address of the index behind the last key of each bag
     */
    record Pooled(long keys, long items, long ends, int first, int n) {}

    /** Queues the sums of bags. A key without a row has the values of the generator. */
    static void launch(Kernels kernels, Pooled of, Rows from, long into, Generators generator) {
        int parts = from.width() % 4 == 0 ? from.width() / 4 : from.width();
        kernels.launch(
                "psf_sum_rows",
                (long) of.n() * parts,
                new LaunchArguments()
                        .pointer(from.address())
                        .pointer(of.items())
                        .pointer(of.keys())
                        .pointer(of.ends())
                        .i32(of.first())
                        .i32(of.n())
                        .rows(from)
                        .pointer(into)
                        .generator(generator));
    }

    /**
     * Writes the sums.
     *
     * @param keys [n] int64, the first bag's keys first
     * @param ends [bags], the index behind the last key of each bag
     * @param into [bags, width], off-heap, filled
     * @return the array; null if a key has no row, and there is no kernel for its initial values
     */
    @Nullable
    FloatArray write(LongArray keys, int[] ends, FloatArray into) {
        Workspace.poison(into);
        return rows.operation(kernels -> {
            Transfers transfers = rows.transfers();
            long behind = transfers.upload("ends of bags", ends, ends.length).address();
            long of = transfers.upload(keys);
            Block items = transfers.items(keys.length());
            rows.find(kernels, of, keys.length(), items.address());
            Generators known = rows.generator();
            Generators generator = known == null ? Generators.ZEROS : known;
            Rows from = rows.values().rowsToRead();
            rows.pieces()
                    .out(
                            into,
                            from.width(),
                            (piece, first, n) -> launch(
                                    kernels,
                                    new Pooled(of, items.address(), behind, first, n),
                                    from,
                                    piece,
                                    generator));
            rows.end(keys);
            return rows.status().missing() == 0 || known != null ? into : null;
        });
    }
}
