package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
            Arrays.fill(ones, 1);
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

    @Test
    void aTrainingThatHasEndedEarlyIsNotGoneOnWith(@TempDir Path folder) throws Exception {
        try (SparkSession spark = local().config("spark.plugins", PsfPlugin.class.getName())
                .config("spark.psf.checkpoints", folder.toString())
                .getOrCreate()) {
            TensorId w = Tensors.init(PsSpark.client(), W);
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                ModelCheckpoints checkpoints = ModelCheckpoints.at(PsSpark.client(), "ones");
                int epochs = PsSpark.trainUntil(spark, checkpoints, 9, epoch -> {
                    runs.incrementAndGet();
                    Tensors.push(PsSpark.client(), w, ones).await();
                    return epoch == 3;
                });
                assertThat(epochs).isEqualTo(3);
            }
            assertThat(runs.get()).isEqualTo(3);
            assertThat(Tensors.pull(PsSpark.client(), w)).containsOnly(3);
        }
    }
}
