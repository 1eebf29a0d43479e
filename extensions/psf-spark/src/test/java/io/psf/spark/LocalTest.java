package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cluster of an application in one process. */
@Timeout(120)
class LocalTest {
    private static final TensorSpec W = TensorSpec.dense("w", 100).optimizer(Optimizers.add());

    private static SparkSession.Builder local() {
        return SparkSession.builder()
                .master("local[2]")
                .appName("local")
                .config("spark.ui.enabled", false)
                .config("spark.psf.servers", 2);
    }

    private static void countsParts(SparkSession spark) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        String name = Tensors.init(PsSpark.client(), W).name();
        assertThat(PsSpark.client().servers()).isEqualTo(2);
        context.parallelize(List.of(1, 2, 3, 4), 4).foreachPartition(part -> {
            float[] ones = new float[100];
            java.util.Arrays.fill(ones, 1);
            Tensors.push(PsSpark.client(), TensorId.of(name), ones).await();
        });
        assertThat(Tensors.pull(PsSpark.client(), TensorId.of(name))).containsOnly(4);
    }

    @Test
    void anApplicationWithThePluginIsACluster() throws Exception {
        try (SparkSession spark =
                local().config("spark.plugins", PsfPlugin.class.getName()).getOrCreate()) {
            countsParts(spark);
        }
    }

    @Test
    void anApplicationWithoutThePluginStartsItsCluster() throws Exception {
        try (SparkSession spark = local().getOrCreate()) {
            PsSpark.start(spark);
            countsParts(spark);
        }
    }
}
