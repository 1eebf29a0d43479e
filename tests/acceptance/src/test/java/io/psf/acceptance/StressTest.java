package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything at once: arrays of random sizes, calls given up at random, threads that do not take their answers for a
 * while. Every byte that comes back is looked at.
 */
@Timeout(180)
final class StressTest {
    private static final int THREADS_OF_A_WORKER = 2;
    private static final int ROUNDS = 20 * Integer.getInteger("psf.laws.times", 1);
    private static final int MOST_FLOATS = 700_000;
    private static final int WIDTH = 6;

    @ParameterizedTest
    @MethodSource("io.psf.acceptance.Clusters#transports")
    void whatComesBackIsWhatWasPushed(Over over) throws Exception {
        long seed = System.nanoTime();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            List<Future<Void>> running = new ArrayList<>();
            for (Worker worker : cluster.workers()) {
                for (int i = 0; i < THREADS_OF_A_WORKER; i++) {
                    String name = "stress." + worker.rank() + "." + i;
                    SplittableRandom random = new SplittableRandom(seed + name.hashCode());
                    Callable<Void> owner = () -> new Owner(worker, name, random, seed).run();
                    running.add(threads.submit(owner));
                }
            }
            for (Future<Void> each : running) {
                each.get(150, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A thread with a tensor and a table of its own: it knows what they have to hold. */
    private static final class Owner {
        private final Worker worker;
        private final SplittableRandom random;
        private final String seed;
        private final TensorId tensor;
        private final TensorId table;
        private final int floats;
        private final int rows;
        /** What the tensor may hold: the pattern that was assigned last, or one that was given up since. */
        private final List<Integer> patterns = new ArrayList<>(List.of(0));

        Owner(Worker worker, String name, SplittableRandom random, long seed) {
            this.worker = worker;
            this.random = random;
            this.seed = "seed " + seed;
            this.floats = random.nextInt(4) == 0 ? random.nextInt(1, 100) : random.nextInt(1, MOST_FLOATS);
            this.rows = random.nextInt(50, 5000);
            this.tensor = Tensors.init(
                    worker,
                    TensorSpec.dense(name, floats)
                            .optimizer(Optimizers.assign())
                            .slices(random.nextInt(2) == 0 ? TensorSpec.PIECES : Math.min(floats, 3)));
            this.table = Tensors.init(
                    worker,
                    TensorSpec.table(name + ".table", rows, WIDTH)
                            .optimizer(Optimizers.assign())
                            .slices(5));
            assign(0);
        }

        Void run() {
            for (int round = 1; round <= ROUNDS; round++) {
                switch (random.nextInt(5)) {
                    case 0 -> assign(round);
                    case 1 -> assignAndGiveUp(round);
                    case 2 -> pullOften();
                    case 3 -> pullAndGiveUp();
                    default -> rows(round);
                }
            }
            pullOften();
            return null;
        }

        private static float value(int pattern, int i) {
            return (float) ((pattern * 7919 + i) % 1_000_003);
        }

        private float[] pattern(int pattern) {
            float[] values = new float[floats];
            for (int i = 0; i < floats; i++) {
                values[i] = value(pattern, i);
            }
            return values;
        }

        private void assign(int pattern) {
            Tensors.push(worker, tensor, pattern(pattern)).await();
            patterns.clear();
            patterns.add(pattern);
        }

        private void assignAndGiveUp(int pattern) {
            Pending<?> push = Tensors.push(worker, tensor, pattern(pattern));
            pauseAtRandom();
            if (push.cancel()) {
                patterns.add(pattern);
            } else {
                push.await();
                patterns.clear();
                patterns.add(pattern);
            }
        }

        /** Answers lie in the network until somebody waits for them. */
        private void pullOften() {
            List<float[]> into = new ArrayList<>();
            List<Pending<?>> pulls = new ArrayList<>();
            for (int i = 0, n = random.nextInt(1, 8); i < n; i++) {
                into.add(new float[floats]);
                pulls.add(Tensors.pull(worker, tensor, into.get(i)));
            }
            pauseAtRandom();
            pulls.forEach(Pending::await);
            into.forEach(this::check);
        }

        /** What was given up leaves the array alone from then on. */
        private void pullAndGiveUp() {
            float[] into = new float[floats];
            Pending<?> pull = Tensors.pull(worker, tensor, into);
            pauseAtRandom();
            if (!pull.cancel()) {
                pull.await();
                check(into);
                return;
            }
            Arrays.fill(into, -1);
            pullOften();
            for (int i = 0; i < floats; i++) {
                assertThat(into[i])
                        .as("%s: element %d of a pull given up", seed, i)
                        .isEqualTo(-1);
            }
        }

        /** Each element is of one of the patterns; which may differ from slice to slice. */
        private void check(float[] values) {
            for (int i = 0; i < floats; i++) {
                boolean known = false;
                for (int pattern : patterns) {
                    known |= values[i] == value(pattern, i);
                }
                if (!known) {
                    throw new AssertionError(seed + ": element " + i + " of " + floats + " in " + tensor + ": "
                            + values[i] + " (expected: of one of the patterns " + patterns + ")");
                }
            }
        }

        private void rows(int pattern) {
            long[] keys = random.ints(random.nextInt(1, 3000), 0, rows)
                    .asLongStream()
                    .distinct()
                    .toArray();
            float[] update = new float[keys.length * WIDTH];
            for (int i = 0; i < update.length; i++) {
                update[i] = value(pattern, (int) keys[i / WIDTH] * WIDTH + i % WIDTH);
            }
            Tensors.pushRows(worker, table, keys, update).await();
            float[] back = new float[update.length];
            Tensors.pullRows(worker, table, keys, back).await();
            assertThat(back).as(seed).isEqualTo(update);
        }

        private void pauseAtRandom() {
            int micros = random.nextInt(3) == 0 ? random.nextInt(3000) : 0;
            long until = System.nanoTime() + micros * 1000L;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void manySmallCallsOfManyThreadsAreEachAnswered(Over over) throws Exception {
        int threads = 4;
        int pushes = 3000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (PsCluster cluster = Clusters.start(over, 1, 1)) {
            Worker worker = cluster.worker(0);
            TensorId w = Tensors.init(worker, TensorSpec.dense("small", 3));
            List<Future<Integer>> counts = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                counts.add(pool.submit(() -> {
                    List<Pending<?>> pending = new ArrayList<>();
                    for (int i = 0; i < pushes; i++) {
                        pending.add(Tensors.push(worker, w, new float[] {1, thread, 2}));
                        if (pending.size() == 50) {
                            pending.forEach(Pending::await);
                            pending.clear();
                        }
                    }
                    pending.forEach(Pending::await);
                    return pushes;
                }));
            }
            for (Future<Integer> count : counts) {
                count.get(60, TimeUnit.SECONDS);
            }
            float all = threads * pushes;
            assertThat(Tensors.pull(worker, w)).containsExactly(all, 6f * pushes, 2 * all);
        } finally {
            pool.shutdownNow();
        }
    }
}
