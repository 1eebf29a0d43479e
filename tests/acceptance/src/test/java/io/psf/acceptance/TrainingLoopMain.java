package io.psf.acceptance;

import io.psf.api.TensorId;
import io.psf.builtin.AllReduce;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker of a training loop, with tensors, reduced weights and an all-reduce. Prints its steps, {@code TRAINED} after
 * the loop, and the model at the end. With {@code HALT_AT}, its process halts in the cut after that step.
 */
public final class TrainingLoopMain {
    private static final int N = 500;

    private TrainingLoopMain() {}

    public static void main(String[] args) {
        long steps = Long.parseLong(args[0]);
        String haltAt = System.getenv().getOrDefault("HALT_AT", "");
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            TensorId rounds = Tensors.init(
                    worker,
                    TensorSpec.dense("rounds", N)
                            .initializer(Initializers.normal(0, 1, 3))
                            .optimizer(Optimizers.adam(0.1))
                            .updates(Updates.MEAN));
            TensorId table = Tensors.init(worker, TensorSpec.growing("table", 4).optimizer(Optimizers.add()));
            Weights weights = Weights.reduced(
                    worker,
                    TensorSpec.dense("weights", N)
                            .optimizer(Optimizers.momentum(0.1, 0.9))
                            .updates(Updates.SUM));
            AllReduce reduce = AllReduce.of(worker, "norms", 1);
            AtomicLong position = new AtomicLong();
            var unused = ModelCheckpoints.at(worker, "run")
                    .weights(weights)
                    .incremental(3)
                    .everySteps(4)
                    .record(
                            () -> {
                                if (haltAt.equals("" + position)) {
                                    Runtime.getRuntime().halt(9);
                                }
                                return Map.of("position", "" + position);
                            },
                            saved -> position.set(Long.parseLong(saved.get("position"))))
                    .run(steps, step -> {
                        if (position.incrementAndGet() != step) {
                            throw new IllegalStateException("position " + position + " in step " + step);
                        }
                        float[] gradient = gradient(step, worker.rank());
                        Tensors.push(worker, rounds, gradient).await();
                        Tensors.pushRows(worker, table, new long[] {step % 17, 1000 + step % 5}, new float[] {
                                    1, 2, 3, 4, 5, 6, 7, 8
                                })
                                .await();
                        weights.push(gradient).await();
                        float[] norm = {step + worker.rank()};
                        reduce.sum(norm).await();
                        long n = worker.workers();
                        if (norm[0] != n * step + n * (n - 1) / 2
                                && worker.lost().isEmpty()) {
                            throw new IllegalStateException("sum " + norm[0] + " in step " + step);
                        }
                        System.out.println("STEP " + step);
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                    });
            System.out.println("TRAINED");
            float[] reduced = new float[N];
            weights.pull(reduced).await();
            float[] rows = new float[22 * 4];
            long[] keys = new long[22];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = i < 17 ? i : 1000 + i - 17;
            }
            Tensors.pullRows(worker, table, keys, rows).await();
            System.out.println("MODEL " + Arrays.hashCode(Tensors.pull(worker, rounds)) + " " + Arrays.hashCode(rows)
                    + " " + Arrays.hashCode(reduced));
            worker.barrier();
        }
    }

    private static float[] gradient(long step, int rank) {
        Random random = new Random(31 * step + rank);
        float[] gradient = new float[N];
        for (int i = 0; i < N; i++) {
            gradient[i] = random.nextFloat() - 0.5f;
        }
        return gradient;
    }
}
