package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Executors that Spark removes since they are idle. */
@Timeout(180)
class DynamicAllocationTest {
    private static final TensorSpec W =
            TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(4);
    private static final int PARTS = 4;
    private static final int PUSHES = 20;
    private static final Duration IDLE = Duration.ofSeconds(1);

    private static void pushOnes(SparkSession spark) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        context.parallelize(Collections.nCopies(PARTS, 0), PARTS).foreachPartition(part -> {
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            for (int i = 0; i < PUSHES; i++) {
                Tensors.push(PsSpark.client().task(TaskContext.get()), TensorId.of("w"), ones)
                        .await();
            }
        });
    }

    /**
     * Runs three tasks, so that Spark starts a third executor. It has no server. Its task ends long after the others:
     * it is idle last. Returns its id.
     */
    private static String thirdExecutor(SparkSession spark, Path folder) {
        String begun = folder.resolve("begun").toString();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        List<String> found = context.parallelize(Collections.nCopies(3, 0), 3)
                .map(ignored -> {
                    if (CountedKill.handled() > 0) {
                        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(Path.of(begun)));
                        return "";
                    }
                    Files.createFile(Path.of(begun));
                    Thread.sleep(2 * IDLE.toMillis());
                    return SparkEnv.get().executorId();
                })
                .filter(executor -> !executor.isEmpty())
                .collect();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Tag("long")
    @Test
    void anIdleExecutorWithoutAServerIsRemovedThoughOthersAreIdleForLonger(@TempDir Path folder) throws Exception {
        try (SparkSession spark = LocalCluster.of(3, 1024)
                .config("spark.psf.servers", 2)
                .config("spark.dynamicAllocation.enabled", true)
                .config("spark.dynamicAllocation.minExecutors", 2)
                .config("spark.dynamicAllocation.executorIdleTimeout", IDLE.toSeconds() + "s")
                .getOrCreate()) {
            Map<String, String> removed = LocalCluster.removals(spark);
            Tensors.init(PsSpark.client(), W);
            pushOnes(spark);
            String third = thirdExecutor(spark, folder);
            await().atMost(Duration.ofSeconds(60)).until(() -> !removed.isEmpty());
            assertThat(removed).containsOnlyKeys(third);
            pushOnes(spark);
            assertThat(Tensors.pull(PsSpark.client(), TensorId.of("w"))).containsOnly(2 * PARTS * PUSHES);
        }
    }

    @Test
    void anAllocationThatLeavesFewerExecutorsThanServersIsRefused() {
        SparkSettings settings = new SparkSettings(new SparkConf(false)
                .set("spark.dynamicAllocation.enabled", "true")
                .set("spark.dynamicAllocation.minExecutors", "1"));
        settings.requireExecutorsFor(1);
        assertThatThrownBy(() -> settings.requireExecutorsFor(2))
                .hasMessage(
                        "spark.dynamicAllocation.minExecutors: 1 (expected: at least 2, the number of servers, each of"
                                + " which needs an executor)");
    }
}
