package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Executors that are lost. */
@Timeout(180)
class LostExecutorTest {
    private static final TensorSpec W =
            TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(4);

    private static void pushOnes(SparkSession spark, int parts) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        context.parallelize(java.util.Collections.nCopies(parts, 0), parts).foreachPartition(part -> {
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            Tensors.push(PsSpark.client(), TensorId.of("w"), ones).await();
        });
    }

    @Test
    void aServerComesBackWithTheExecutorInItsPlace() throws Exception {
        try (SparkSession spark = LocalCluster.of(2, 1024).getOrCreate()) {
            Map<String, Long> before = LocalCluster.executors(spark);
            assertThat(before).hasSize(2);
            Tensors.init(PsSpark.client(), W);
            pushOnes(spark, 4);
            assertThat(Tensors.pull(PsSpark.client(), TensorId.of("w"))).containsOnly(4);
            LocalCluster.kill(before.values().iterator().next());
            long begin = System.nanoTime();
            pushOnes(spark, 4);
            System.out.println("pushed again after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> PsSpark.client().members().size() == 2);
            float[] now = Tensors.pull(PsSpark.client(), TensorId.of("w"));
            System.out.println(Arrays.toString(now));
            assertThat(List.of(4f, 8f)).contains(now[0]);
        }
    }
}
