package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Executors that are lost, on processes. */
@Timeout(180)
class LostExecutorTest {
    private static final TensorSpec W =
            TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(4);
    private static final int PARTS = 4;
    private static final int PUSHES = 20;

    /** The calls that a server has in an epoch. */
    private static final int CALLS = PARTS * PUSHES * 2;

    @TempDir
    Path folder;

    /** Each partition pushes ones. */
    private static void pushOnes(SparkSession spark) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        context.parallelize(Collections.nCopies(PARTS, 0), PARTS).foreachPartition(LostExecutorTest::push);
    }

    private static void push(Iterator<Integer> part) {
        float[] ones = new float[100];
        Arrays.fill(ones, 1);
        for (int i = 0; i < PUSHES; i++) {
            Tensors.push(PsSpark.client().task(TaskContext.get()), TensorId.of("w"), ones)
                    .await();
        }
    }

    private void killOneAt(int push, SparkSession spark) throws IOException {
        CountedKill.ask(
                folder, LocalCluster.executors(spark).keySet().iterator().next(), "psf.dense.push", push);
    }

    @Test
    void aTrainingWhoseExecutorIsLostGivesTheUndisturbedModel() throws Exception {
        try (SparkSession spark = CountedKill.of(LocalCluster.of(2, 1024), folder)
                .config("spark.psf.checkpoints", folder.resolve("checkpoints").toString())
                .getOrCreate()) {
            Tensors.init(PsSpark.client(), W);
            assertThat(LocalCluster.executors(spark)).hasSize(2);
            ModelCheckpoints model = ModelCheckpoints.at(PsSpark.client(), "ones");
            AtomicInteger runs = new AtomicInteger();
            PsSpark.train(spark, model, 3, epoch -> {
                if (runs.incrementAndGet() == 2) {
                    killOneAt(CALLS / 2, spark);
                }
                pushOnes(spark);
                assertThat(Tensors.pull(PsSpark.client(), TensorId.of("w"))).hasSize(100);
            });
            assertThat(CountedKill.isDone(folder)).isTrue();
            assertThat(runs.get()).isEqualTo(4);
            assertThat(Tensors.pull(PsSpark.client(), TensorId.of("w"))).containsOnly(3 * PARTS * PUSHES);
            assertThat(LocalCluster.executors(spark)).hasSize(2);
        }
    }

    @Test
    void aLossWithoutACheckpointIsTold() throws Exception {
        try (SparkSession spark =
                CountedKill.of(LocalCluster.of(2, 1024), folder).getOrCreate()) {
            Tensors.init(PsSpark.client(), W);
            killOneAt(CALLS / 4, spark);
            assertThatThrownBy(() -> pushOnes(spark)).hasMessageContaining("UNAVAILABLE: lost server");
        }
    }
}
