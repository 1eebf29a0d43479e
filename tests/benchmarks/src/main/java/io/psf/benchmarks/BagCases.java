package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Pooling;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Cases of bags of keys whose rows the servers add, compared with pulls of all rows of the same keys. */
final class BagCases {
    private static final int BAGS = 4096;
    private static final int KEYS_OF_BAG = 20;
    private static final int WIDTH = 64;
    private static final float RATE = 0.01f;

    private BagCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (Keys keys : Keys.values()) {
            for (int outstanding : new int[] {1, 2}) {
                String name = String.format(
                        Locale.ROOT,
                        "pull of bags of %d keys, %d wide, %s, %d outstanding, to pulls of their rows",
                        KEYS_OF_BAG,
                        WIDTH,
                        keys,
                        outstanding);
                Line line = new Line(name, SparseCases.UNIT, Goal.ratioAtLeast(1.2));
                cases.add(Case.of(line, bench -> {
                    long[][] batches = keys.draw(SparseCalls.ROWS, BAGS * KEYS_OF_BAG);
                    Pulls rows = new Pulls(bench.worker(), batches, false, outstanding);
                    Pulls bags = new Pulls(bench.worker(), batches, true, outstanding);
                    return new Rates(
                            BAGS * KEYS_OF_BAG / 1e6,
                            2 * outstanding,
                            times -> Calls.make(rows, times, outstanding),
                            outstanding,
                            bags);
                }));
            }
        }
        return cases;
    }

    /** Pulls of bags, or of all of their rows. */
    private static final class Pulls implements Calls {
        private final Worker worker;
        private final TensorId table;
        private final long[][] keys;
        private final int[] counts = new int[BAGS];
        private final boolean pooled;
        private final float[][] into;
        private int next;

        Pulls(Worker worker, long[][] keys, boolean pooled, int outstanding) {
            this.worker = worker;
            this.table = Tensors.init(worker, SparseCalls.table(WIDTH, Optimizers.sgd(RATE)));
            this.keys = keys;
            this.pooled = pooled;
            this.into = new float[outstanding][(pooled ? 1 : KEYS_OF_BAG) * BAGS * WIDTH];
            Arrays.fill(counts, KEYS_OF_BAG);
        }

        @Override
        public Pending<?> send(int slot) {
            long[] batch = keys[next++ % keys.length];
            return pooled
                    ? Tensors.pullBags(worker, table, batch, counts, Pooling.SUM, into[slot])
                    : Tensors.pullRows(worker, table, batch, into[slot]);
        }

        @Override
        public void close() {
            Tensors.clear(worker, table);
        }
    }
}
