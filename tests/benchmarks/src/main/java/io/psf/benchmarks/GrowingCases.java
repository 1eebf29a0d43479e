package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TableCounts;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.Locale;

/** Cases of a growing table: inserting rows, finding rows, and their memory. */
final class GrowingCases {
    private static final int WIDTH = 16;
    private static final int OUTSTANDING = 4;

    /** At most 1.3 times the time of a table without a policy. */
    private static final Goal POLICED = Goal.ratioAtLeast(0.77);

    private static final TablePolicy POLICY =
            TablePolicy.keepAll().mostBytes(4L << 30).expireAfterPushes(1L << 40);

    private GrowingCases() {}

    static List<Case> all() {
        return List.of(
                Case.of(
                        new Line("growing table 16 wide, inserts, 4 outstanding", "Mrows/s", null),
                        bench -> new Inserts(bench.worker())),
                existing(false),
                existing(true),
                policed(true),
                policed(false),
                policedInserts(1),
                policedInserts(2));
    }

    /** Returns the cases of resident memory. The heap of the server is small, since it is resident, too. */
    static List<Case> memory() {
        return List.of(
                Case.of(new Line("growing table 16 wide, memory", "B/row", null), bench -> new Bytes(bench.worker())),
                Case.of(
                        new Line(
                                "growing table 16 wide, 50 M keys into 1 GB",
                                "resident MB per MB",
                                Goal.ratioAtMost(1.2)),
                        bench -> new Bounded(bench.worker())));
    }

    /** Returns a case of existing rows of a table with a policy. The floor is the same table without one. */
    private static Case policed(boolean push) {
        String name = String.format(
                Locale.ROOT,
                "growing table 16 wide with a policy, %s, %d outstanding",
                push ? "push" : "pull",
                OUTSTANDING);
        TensorSpec plain = TensorSpec.growing("plain", WIDTH).optimizer(Optimizers.sgd(0.01));
        TensorSpec policed = TensorSpec.growing("policed", WIDTH)
                .optimizer(Optimizers.sgd(0.01))
                .policy(POLICY);
        return Case.of(new Line(name, "Mrows/s", POLICED), bench -> {
            long[][] batches = Keys.UNIFORM.draw(SparseCalls.ROWS, SparseCalls.KEYS);
            return new SideBySide(
                    new SparseCalls(bench.worker(), push, plain, batches, OUTSTANDING),
                    new SparseCalls(bench.worker(), push, policed, batches, OUTSTANDING));
        });
    }

    /**
     * Returns a case of inserts into a table with a policy. The floor is a table that inserts a key when it comes
     * first.
     *
     * @param times how often each key comes; it is inserted at the last time
     */
    private static Case policedInserts(int times) {
        String name = String.format(
                Locale.ROOT,
                "growing table 16 wide with a policy, inserts of keys that come %s, %d outstanding",
                times == 1 ? "once" : "twice",
                OUTSTANDING);
        return Case.of(new Line(name, "Mrows/s", POLICED), bench -> new PolicedInserts(bench.worker(), times));
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
     * Offers 50 million keys to a table with AdaGrad that is limited to 1 GB. Measures the growth of the server's
     * resident memory in the limit's units: the floor is 1. Prints the rate.
     */
    private static final class Bounded implements Sides {
        private static final long BOUND = 1L << 30;
        private static final int OFFERED = 50_000_000;

        private final NewKeys keys;
        private final double share;

        Bounded(Worker worker) {
            MemoryPsf.Stub memory = MemoryPsf.stub(worker);
            long before = memory.call(true).await().resident();
            keys = new NewKeys(
                    worker, Optimizers.adaGrad(0.01), TablePolicy.keepAll().mostBytes(BOUND), 1);
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
        String name = String.format(
                Locale.ROOT, "growing table 16 wide, %s, uniform, %d outstanding", push ? "push" : "pull", OUTSTANDING);
        TensorSpec spec = TensorSpec.growing("growing", WIDTH).optimizer(Optimizers.sgd(0.01));
        return SparseCases.of(name, null, push, spec, Keys.UNIFORM, OUTSTANDING);
    }

    /** Fills in keys that are distinct for distinct numbers and distributed over all int64. */
    private static void fill(long[] keys, long first) {
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (first + i) * 0x9E3779B97F4A7C15L;
        }
    }

    /** Pushes to new keys, in batches of which each is pushed several times in succession. */
    private static final class NewKeys implements Calls {
        private final Worker worker;
        private final TensorId table;
        private final long[][] keys = new long[OUTSTANDING][SparseCalls.KEYS];
        private final float[] update = new float[SparseCalls.KEYS * WIDTH];
        private final int times;
        private long sent;

        NewKeys(Worker worker, OptimizerSpec optimizer, TablePolicy policy, int times) {
            this.worker = worker;
            this.times = times;
            this.table = Tensors.init(
                    worker,
                    TensorSpec.growing("new", WIDTH).optimizer(optimizer).policy(policy));
        }

        @Override
        public Pending<?> send(int slot) {
            fill(keys[slot], sent++ / times * SparseCalls.KEYS);
            return Tensors.pushRows(worker, table, keys[slot], update);
        }

        @Override
        public void close() {
            Tensors.clear(worker, table);
        }
    }

    /** Inserts keys that come several times. */
    private record PolicedInserts(Worker worker, int offers) implements Sides {
        @Override
        public double[] floor(int times) {
            return rate(TablePolicy.keepAll(), times);
        }

        @Override
        public double[] ours(int times) {
            return rate(POLICY.admitAfter(offers), times);
        }

        private double[] rate(TablePolicy policy, int times) {
            try (NewKeys keys = new NewKeys(worker, Optimizers.add(), policy, offers)) {
                return SideBySide.rate(keys, times);
            }
        }

        @Override
        public void close() {}
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
            return new double[] {1e3 * SparseCalls.KEYS * times / (System.nanoTime() - begin)};
        }

        @Override
        public double[] ours(int times) {
            try (NewKeys keys = new NewKeys(worker, Optimizers.add(), TablePolicy.keepAll(), 1)) {
                return SideBySide.rate(keys, times);
            }
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
            keys = new NewKeys(worker, Optimizers.add(), TablePolicy.keepAll(), 1);
            Calls.make(keys, BATCHES / 4, OUTSTANDING); // the heap and the frames are as large as they get
            long before = memory.call(true).await().resident();
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
