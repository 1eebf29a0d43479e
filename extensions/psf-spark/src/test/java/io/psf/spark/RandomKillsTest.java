package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trainings whose executors are killed at random: each has every push once. One training in a build, more with
 * {@code -Dpsf.spark.runs=20}; {@code -Dpsf.spark.seed} begins with the kills of an earlier run.
 */
@Tag("chaos")
final class RandomKillsTest {
    private static final int EPOCHS = 4;
    private static final int PARTS = 4;
    private static final int PUSHES = 40;

    @Test
    void eachTrainingHasEveryPushOnce(@TempDir Path folder) throws Exception {
        int runs = Integer.getInteger("psf.spark.runs", 1);
        long seed = Long.getLong("psf.spark.seed", System.nanoTime());
        int kills = 0;
        int repeated = 0;
        try (SparkSession spark = LocalCluster.of(2, 1024)
                .config("spark.psf.checkpoints", folder.toString())
                .config("spark.deploy.maxExecutorRetries", -1)
                .config("spark.task.maxFailures", 20)
                .getOrCreate()) {
            for (int run = 0; run < runs; run++) {
                Random random = new Random((seed + run) * 0x9E3779B97F4A7C15L); // those of near seeds begin alike
                AtomicInteger epochs = new AtomicInteger();
                TensorId w = Tensors.init(
                        PsSpark.client(),
                        TensorSpec.dense("run" + run, 100)
                                .optimizer(Optimizers.add())
                                .slices(4));
                Killer killer = new Killer(random);
                PsSpark.train(
                        spark, ModelCheckpoints.at(PsSpark.client(), w.name()).tensors(w), EPOCHS, epoch -> {
                            epochs.incrementAndGet();
                            killer.start();
                            push(spark, w);
                        });
                killer.end();
                kills += killer.kills();
                repeated += epochs.get() - EPOCHS;
                assertThat(Tensors.pull(PsSpark.client(), w))
                        .as("run %d of -Dpsf.spark.seed=%d", run, seed)
                        .containsOnly(EPOCHS * PARTS * PUSHES);
                System.out.printf(
                        "kills: run %d of -Dpsf.spark.seed=%d: %d kills, %d epochs%n",
                        run, seed, killer.kills(), epochs.get());
            }
        }
        System.out.printf("kills: %d trainings, %d executors killed, %d epochs repeated%n", runs, kills, repeated);
    }

    private static void push(SparkSession spark, TensorId tensor) {
        new JavaSparkContext(spark.sparkContext())
                .parallelize(Collections.nCopies(PARTS, 0), PARTS)
                .foreachPartition(part -> {
                    float[] ones = new float[100];
                    Arrays.fill(ones, 1);
                    for (int i = 0; i < PUSHES; i++) {
                        Tensors.push(PsSpark.client().task(TaskContext.get()), tensor, ones)
                                .await();
                        Thread.sleep(10); // a training takes as long as the kills need
                    }
                });
    }

    /** Kills one to three executors of this process, each after a random time. */
    private static final class Killer implements Runnable {
        private final Random random;
        private final Thread thread = new Thread(this, "kills");
        private final AtomicInteger kills = new AtomicInteger();

        Killer(Random random) {
            this.random = random;
        }

        /** Starts killing, at the first call. */
        void start() {
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
        }

        @Override
        public void run() {
            int most = 1 + random.nextInt(3);
            try {
                for (int i = 0; i < most; i++) {
                    Thread.sleep(random.nextInt(3000));
                    List<ProcessHandle> executors = ProcessHandle.current()
                            .children()
                            .filter(Killer::isExecutor)
                            .toList();
                    if (!executors.isEmpty()
                            && executors.get(random.nextInt(executors.size())).destroyForcibly()) {
                        kills.incrementAndGet();
                    }
                }
            } catch (InterruptedException e) { // the training has ended
                Thread.currentThread().interrupt();
            }
        }

        /** True for a JVM: all of this process's are executors. */
        private static boolean isExecutor(ProcessHandle process) {
            return process.info().command().orElse("").endsWith("java");
        }

        void end() throws InterruptedException {
            thread.interrupt();
            thread.join();
        }

        int kills() {
            return kills.get();
        }
    }
}
