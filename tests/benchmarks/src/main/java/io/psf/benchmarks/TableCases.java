package io.psf.benchmarks;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Cases of a model of several tables: the rows of all of them by one chain, compared with a call for each table. */
final class TableCases {
    private static final int TABLES = 26;
    private static final int ROWS = 100_000;
    private static final int[] WIDTHS = {16, 32, 64};
    private static final float RATE = 0.01f;

    private TableCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (boolean push : new boolean[] {false, true}) {
            for (int examples : new int[] {128, 4096}) {
                String name = String.format(
                        Locale.ROOT,
                        "%s of %d tables, 16 to 64 wide, %d rows each, one chain to a call a table",
                        push ? "push" : "pull",
                        TABLES,
                        examples);
                cases.add(Case.of(
                        new Line(name, SparseCases.UNIT, null), bench -> new Tables(bench.worker(), push, examples)));
            }
        }
        return cases;
    }

    /** Tables of one model, which are beside each other. */
    private static final class Tables implements Sides {
        private final Worker worker;
        private final boolean push;
        private final long[][] keys;
        private final TensorId[] ids = new TensorId[TABLES];
        private final float[][] values = new float[TABLES][];
        private int next;

        Tables(Worker worker, boolean push, int examples) {
            this.worker = worker;
            this.push = push;
            this.keys = Keys.ZIPF.draw(ROWS, examples);
            for (int i = 0; i < TABLES; i++) {
                int width = WIDTHS[i % WIDTHS.length];
                TensorSpec spec =
                        TensorSpec.table("table of a model " + i, ROWS, width).optimizer(Optimizers.sgd(RATE));
                ids[i] = Tensors.init(worker, spec);
                values[i] = new float[examples * width];
                Arrays.fill(values[i], 1e-3f);
            }
        }

        /** Makes the call of each table. */
        List<Pending<?>> calls(Caller caller) {
            List<Pending<?>> sent = new ArrayList<>();
            for (int i = 0; i < TABLES; i++) {
                LongArray batch = LongArray.wrap(keys[next++ % keys.length]);
                FloatArray rows = FloatArray.wrap(values[i]);
                sent.add(
                        push
                                ? SparsePushPsf.stub(caller).call(ids[i], batch, rows)
                                : SparsePullPsf.stub(caller).call(ids[i], batch, new SparsePull.Response(rows)));
            }
            return sent;
        }

        @Override
        public double[] floor(int times) {
            return rate(times, () -> calls(worker).forEach(Pending::await));
        }

        @Override
        public double[] ours(int times) {
            return rate(times, () -> {
                Chain chain = worker.chain();
                List<Pending<?>> sent = calls(chain);
                chain.send();
                sent.forEach(Pending::await);
            });
        }

        private double[] rate(int times, Runnable work) {
            long begin = System.nanoTime();
            for (int i = 0; i < times; i++) {
                work.run();
            }
            return new double[] {TABLES * keys[0].length / 1e6 * times / ((System.nanoTime() - begin) / 1e9)};
        }

        @Override
        public void close() {
            for (TensorId each : ids) {
                Tensors.clear(worker, each);
            }
        }
    }
}
