package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.List;

/** Cases of a growing table: inserting rows, finding rows, and their memory. */
final class GrowingCases {
    private static final int WIDTH = 16;
    private static final int OUTSTANDING = 4;

    private GrowingCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                        new Line("growing table 16 wide, inserts, 4 outstanding", "Mrows/s", null),
                        bench -> new Inserts(bench.worker())),
                existing(false),
                existing(true),
                Case.of(new Line("growing table 16 wide, memory", "B/row", null), bench -> new Bytes(bench.worker())));
    }

    /** Returns a case of existing rows, with the floor of a table of a million rows. */
    private static Case existing(boolean push) {
        String name =
                "growing table 16 wide, %s, uniform, %d outstanding".formatted(push ? "push" : "pull", OUTSTANDING);
        TensorSpec spec = TensorSpec.growing("growing", WIDTH).optimizer(Optimizers.sgd(0.01));
        return SparseCases.of(name, null, push, spec, Keys.UNIFORM, OUTSTANDING);
    }

    /** Fills in keys that are distinct for distinct numbers and distributed over all int64. */
    private static void fill(long[] keys, long first) {
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (first + i) * 0x9E3779B97F4A7C15L;
        }
    }

    /** Pushes to new keys. */
    private static final class NewKeys implements Calls {
        private final Worker worker;
        private final TensorId table;
        private final long[][] keys = new long[OUTSTANDING][SparseCalls.KEYS];
        private final float[] update = new float[SparseCalls.KEYS * WIDTH];
        private long sent;

        NewKeys(Worker worker) {
            this.worker = worker;
            this.table = Tensors.init(worker, TensorSpec.growing("new", WIDTH));
        }

        @Override
        public Pending<?> send(int slot) {
            fill(keys[slot], sent);
            sent += SparseCalls.KEYS;
            return Tensors.pushRows(worker, table, keys[slot], update);
        }

        @Override
        public void close() {
            Tensors.clear(worker, table);
        }
    }

    /** Inserts new keys into an empty table. The floor is a heap table of one thread. */
    private record Inserts(Worker worker) implements Sides {
        @Override
        public double[] floor(int times) {
            long[] keys = new long[SparseCalls.KEYS];
            float[] into = new float[SparseCalls.KEYS * WIDTH];
            long begin = System.nanoTime();
            HeapTable table = new HeapTable(WIDTH);
            for (int i = 0; i < times; i++) {
                fill(keys, (long) i * keys.length);
                table.pull(keys, into);
            }
            return rate(times, begin);
        }

        @Override
        public double[] ours(int times) {
            try (NewKeys keys = new NewKeys(worker)) {
                long begin = System.nanoTime();
                Calls.make(keys, times, OUTSTANDING);
                return rate(times, begin);
            }
        }

        private static double[] rate(int times, long begin) {
            return new double[] {1e3 * SparseCalls.KEYS * times / (System.nanoTime() - begin)};
        }

        @Override
        public void close() {}
    }

    /** Measures the growth of the server's resident memory per row. The floor is the size of the row's floats. */
    private static final class Bytes implements Sides {
        private static final int BATCHES = 400;

        private final NewKeys keys;
        private final double bytes;

        Bytes(Worker worker) {
            MemoryPsf.Stub memory = MemoryPsf.stub(worker);
            long before = memory.call(true).await().resident();
            keys = new NewKeys(worker);
            Calls.make(keys, BATCHES, OUTSTANDING);
            long after = memory.call(true).await().resident();
            bytes = (after - before) / ((double) BATCHES * SparseCalls.KEYS);
        }

        @Override
        public double[] floor(int times) {
            return new double[] {WIDTH * Float.BYTES};
        }

        @Override
        public double[] ours(int times) {
            return new double[] {bytes};
        }

        @Override
        public void close() {
            keys.close();
        }
    }
}
