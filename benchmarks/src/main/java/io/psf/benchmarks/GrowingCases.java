package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TableCounts;
import io.psf.builtin.TablePolicy;
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
                Case.of(new Line("growing table 16 wide, memory", "B/row", null), bench -> new Bytes(bench.worker())),
                policed(true),
                policed(false),
                Case.of(
                        new Line("growing table 16 wide, 50 M keys into 1 GB", "resident MB per MB", null),
                        bench -> new Bounded(bench.worker())));
    }

    /**
     * Returns a case of existing rows of a table with a policy. The floor is the same table without one. The goal is at
     * most 1.3 times the floor's time.
     */
    private static Case policed(boolean push) {
        String name = "growing table 16 wide with a policy, %s, %d outstanding"
                .formatted(push ? "push" : "pull", OUTSTANDING);
        TensorSpec plain = TensorSpec.growing("plain", WIDTH).optimizer(Optimizers.sgd(0.01));
        TensorSpec policed = TensorSpec.growing("policed", WIDTH)
                .optimizer(Optimizers.sgd(0.01))
                .policy(TablePolicy.keepAll().admitAfter(1).mostBytes(4L << 30).expireAfterPushes(1L << 40));
        return Case.of(new Line(name, "Mrows/s", Goal.ratioAtLeast(0.77)), bench -> {
            long[][] batches = Keys.UNIFORM.draw(SparseCalls.ROWS, SparseCalls.KEYS);
            return new SideBySide(
                    new SparseCalls(bench.worker(), push, plain, batches, OUTSTANDING),
                    new SparseCalls(bench.worker(), push, policed, batches, OUTSTANDING));
        });
    }

    /** Compares the same calls on two tables. */
    private record SideBySide(Calls plain, Calls policed) implements Sides {
        @Override
        public double[] floor(int times) {
            return rate(plain, times);
        }

        @Override
        public double[] ours(int times) {
            return rate(policed, times);
        }

        private static double[] rate(Calls calls, int times) {
            long begin = System.nanoTime();
            Calls.make(calls, times, OUTSTANDING);
            return new double[] {1e3 * SparseCalls.KEYS * times / (System.nanoTime() - begin)};
        }

        @Override
        public void close() {
            plain.close();
            policed.close();
        }
    }

    /**
     * Offers 50 million keys to a table that is limited to 1 GB. Measures the growth of the server's resident memory in
     * the limit's units: the floor is 1. Prints the rate.
     */
    private static final class Bounded implements Sides {
        private static final long BOUND = 1L << 30;
        private static final int OFFERED = 50_000_000;

        private final NewKeys keys;
        private final double share;

        Bounded(Worker worker) {
            MemoryPsf.Stub memory = MemoryPsf.stub(worker);
            long before = memory.call(true).await().resident();
            keys = new NewKeys(worker, TablePolicy.keepAll().mostBytes(BOUND));
            long begin = System.nanoTime();
            Calls.make(keys, OFFERED / SparseCalls.KEYS, OUTSTANDING);
            double seconds = (System.nanoTime() - begin) / 1e9;
            long after = memory.call(true).await().resident();
            share = (after - before) / (double) BOUND;
            System.out.printf("%,d keys in %.1f s, %s%n", OFFERED, seconds, TableCounts.of(worker, keys.table));
        }

        @Override
        public double[] floor(int times) {
            return new double[] {1};
        }

        @Override
        public double[] ours(int times) {
            return new double[] {share};
        }

        @Override
        public void close() {
            keys.close();
        }
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

        NewKeys(Worker worker, TablePolicy policy) {
            this.worker = worker;
            this.table = Tensors.init(worker, TensorSpec.growing("new", WIDTH).policy(policy));
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
            try (NewKeys keys = new NewKeys(worker, TablePolicy.keepAll())) {
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
            keys = new NewKeys(worker, TablePolicy.keepAll());
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
