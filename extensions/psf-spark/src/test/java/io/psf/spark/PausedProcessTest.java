package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Processes that are stopped for longer than psf's limit, and for less than Spark's. */
@Timeout(180)
class PausedProcessTest {
    private static final int EPOCHS = 3;
    private static final int PARTS = 4;
    private static final int PUSHES = 10;

    @TempDir
    Path folder;

    private SparkSession start() {
        return LocalCluster.of(2, 1024)
                .config("spark.psf.checkpoints", folder.toString())
                .config("spark.psf.heartbeat", "2s")
                .config("spark.task.maxFailures", 100) // a server that starts again takes seconds
                .getOrCreate();
    }

    /** Trains, and returns what each epoch has pushed. */
    private static float[] trained(SparkSession spark, Runnable inSecondEpoch) throws Exception {
        TensorId w = Tensors.init(
                PsSpark.client(),
                TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(4));
        ModelCheckpoints checkpoints = ModelCheckpoints.at(PsSpark.client(), "paused");
        PsSpark.train(spark, checkpoints.tensors(w), EPOCHS, epoch -> {
            if (epoch == 2) {
                inSecondEpoch.run();
            }
            new JavaSparkContext(spark.sparkContext())
                    .parallelize(Collections.nCopies(PARTS, 0), PARTS)
                    .foreachPartition(part -> {
                        float[] ones = new float[100];
                        Arrays.fill(ones, 1);
                        for (int i = 0; i < PUSHES; i++) {
                            Tensors.push(PsSpark.client().task(TaskContext.get()), w, ones)
                                    .await();
                        }
                    });
        });
        return Tensors.pull(PsSpark.client(), w);
    }

    /** Returns by executor whether its client works. */
    private static Map<String, Boolean> clients(SparkSession spark) {
        return new JavaSparkContext(spark.sparkContext())
                .parallelize(Collections.nCopies(8, 0), 8)
                .mapToPair(ignored -> {
                    Thread.sleep(100); // so that each executor gets some
                    return new Tuple2<>(SparkEnv.get().executorId(), works());
                })
                .collectAsMap();
    }

    private static boolean works() {
        try {
            return PsSpark.client().rollback() >= 0;
        } catch (PsException e) {
            return false;
        }
    }

    private static void signal(String name, long process) {
        try {
            assertThat(new ProcessBuilder("kill", "-" + name, "" + process)
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("long")
    void aTrainingGoesOnAfterAPauseOfAnExecutor() throws Exception {
        try (SparkSession spark = start()) {
            long executor = LocalCluster.executors(spark).values().iterator().next();
            boolean[] isPaused = {false};
            assertThat(trained(spark, () -> {
                        if (!isPaused[0]) {
                            isPaused[0] = true;
                            int members = PsSpark.client().members().size();
                            signal("STOP", executor);
                            await().forever()
                                    .until(() -> PsSpark.client().members().size() < members);
                            signal("CONT", executor);
                        }
                    }))
                    .containsOnly(EPOCHS * PARTS * PUSHES);
            assertThat(clients(spark)).hasSize(2).doesNotContainValue(false);
        }
    }

    @Test
    @Tag("long")
    void aTrainingGoesOnAfterAPauseOfTheDriver() throws Exception {
        try (SparkSession spark = start()) {
            long driver = ProcessHandle.current().pid();
            boolean[] isPaused = {false};
            assertThat(trained(spark, () -> {
                        if (!isPaused[0]) {
                            isPaused[0] = true;
                            stopFor(driver, 8);
                        }
                    }))
                    .containsOnly(EPOCHS * PARTS * PUSHES);
            assertThat(clients(spark)).hasSize(2).doesNotContainValue(false);
        }
    }

    /** Stops this process. A process of its own continues it. */
    private static void stopFor(long process, int seconds) {
        try {
            Process stops = new ProcessBuilder(
                            "sh", "-c", "kill -STOP " + process + "; sleep " + seconds + "; kill -CONT " + process)
                    .start();
            assertThat(stops.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theLimitIsSparksUnlessItIsSet() {
        SparkConf conf = new SparkConf(false);
        assertThat(new SparkSettings(conf).heartbeat()).hasSeconds(120);
        conf.set("spark.network.timeout", "300");
        assertThat(new SparkSettings(conf).heartbeat()).hasSeconds(300);
        conf.set("spark.psf.heartbeat", "7s");
        assertThat(new SparkSettings(conf).heartbeat()).hasSeconds(7);
    }
}
