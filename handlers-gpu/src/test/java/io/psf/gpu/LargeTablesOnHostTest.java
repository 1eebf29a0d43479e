package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.builtin.optimizer.Kernel;
import io.psf.gpu.HostKernels.Order;
import io.psf.gpu.shard.RuleLaunches;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows whose elements are beyond 2^31: the kernels get the address that an array of all rows would have, of which only
 * the last few rows exist.
 */
class LargeTablesOnHostTest {
    private static final Kernel ADAM = Rule.ADAM.kernel(0.1f, 0.9f, 0.99f, 1e-8f);

    private static final int FIRST = 1_500_000_000;
    private static final int ROWS = 6;
    private static final int[] SOME = {4, 0, 5, 2, 4, 4};

    /** The arrays of a few rows from row {@code first} on, and the addresses of row 0. */
    private static final class Rows {
        final HostKernels kernels;
        final int width;
        final int first;
        final Random random = new Random(1);
        final long values;
        final long m;
        final long v;
        final long steps;
        final long update;
        final long rows;
        final RuleLaunches.Taken claims;
        final long status;

        Rows(HostKernels kernels, int width, int first) {
            this.kernels = kernels;
            this.width = width;
            this.first = first;
            this.values = some(ROWS * width);
            this.m = some(ROWS * width);
            this.v = kernels.copy(new float[ROWS * width]);
            this.steps = some(ROWS);
            this.update = some(ROWS * width);
            this.rows = kernels.copy(IntStream.of(SOME).map(row -> first + row).toArray());
            this.claims = HostClaims.of(kernels, ROWS);
            this.status = kernels.copy(0, 0, 0, 0, first + ROWS, 0);
        }

        private long some(int n) {
            float[] values = new float[n];
            for (int i = 0; i < n; i++) {
                values[i] = 1 + random.nextInt(9);
            }
            return kernels.copy(values);
        }

        /** Returns the address of row 0 of an array with a row of so many bytes. */
        long zero(long address, long bytes) {
            return address - first * bytes;
        }

        long elements(long address) {
            return zero(address, 4L * width);
        }

        /** Returns the keys of the items, which are the numbers of their rows. */
        long keys() {
            return kernels.copy(
                    IntStream.of(SOME).mapToLong(row -> (long) first + row).toArray());
        }

        List<float[]> adam() {
            long w = elements(values);
            long s = elements(m);
            long t = elements(v);
            long count = zero(steps, 4);
            RuleLaunches launches = new RuleLaunches(kernels::launch);
            RuleLaunches.Columns stepped = new RuleLaunches.Columns(w, s, t, count, 0, 0, 0, width);
            RuleLaunches.Rule adam = launches.rule(ADAM, null, 0);
            adam.all(stepped, update, first, ROWS);
            kernels.launch(
                    "psf_rows_in_range",
                    keys(),
                    ROWS,
                    0L,
                    (long) first + ROWS,
                    rows,
                    claims.table(),
                    claims.mask(),
                    status);
            launches.mark(rows, ROWS, 0, claims, count, status);
            adam.rows(stepped, update, rows, 0, ROWS, status);
            int[] later = IntStream.of(kernels.ints(rows, ROWS))
                    .map(row -> row < HostTable.NONE ? -2 - row : HostTable.NONE)
                    .toArray();
            adam.rest(stepped, update, kernels.copy(later), ROWS);
            assertThat(kernels.ints(status, 3)[2]).isEqualTo(2);
            return List.of(floats(values), floats(m), floats(v), kernels.floats(steps, ROWS));
        }

        float[] copies() {
            long into = kernels.allocate(4L * ROWS * width);
            long end = (long) first + ROWS;
            kernels.launch("psf_pull_range", elements(values), keys(), ROWS, 0, ROWS, 0L, end, width, 0, into, status);
            int[] other = {first + 1, HostTable.NONE, first + 3};
            kernels.launch("psf_scatter", elements(values), kernels.copy(other), 3, width, into, 0);
            kernels.launch(
                    "psf_move_rows", elements(values), kernels.copy(first + 5), kernels.copy(first), 1, width, 0);
            return floats(values);
        }

        float[] floats(long address) {
            return kernels.floats(address, ROWS * width);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void theirRowsAreCopiedAsThoseOfASmallTable(int width) {
        try (HostKernels kernels = new HostKernels(Order.SHUFFLED, 1)) {
            float[] small = new Rows(kernels, width, 0).copies();
            assertThat(new Rows(kernels, width, FIRST).copies()).isEqualTo(small);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void theirRowsAreSteppedAsThoseOfASmallTable(int width) {
        try (HostKernels kernels = new HostKernels(Order.SHUFFLED, 2)) {
            List<float[]> small = new Rows(kernels, width, 0).adam();
            List<float[]> large = new Rows(kernels, width, FIRST).adam();
            for (int i = 0; i < small.size(); i++) {
                assertThat(large.get(i)).isEqualTo(small.get(i));
            }
        }
    }
}
