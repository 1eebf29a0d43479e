package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams whose micro-batches are trained on once each, though Spark makes some of them again. */
@Timeout(180)
class BatchesTest {
    private static final int ROWS = 40;
    private static final int FILES = 3;

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = LocalSpark.withPlugin()
                .config("spark.psf.checkpoints", folder.resolve("checkpoints").toString())
                .getOrCreate();
        for (int file = 0; file < FILES; file++) {
            spark.range((long) file * ROWS, (file + 1L) * ROWS, 1, 1)
                    .write()
                    .mode("append")
                    .parquet(folder.resolve("rows").toString());
        }
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    /** Returns a table that counts how often each row is trained on. */
    private static TensorId counts(String name) {
        return Tensors.init(
                PsSpark.client(), TensorSpec.table(name, ROWS * FILES, 1).optimizer(Optimizers.add()));
    }

    private static void count(Dataset<Row> batch, TensorId counts) {
        batch.foreachPartition((ForeachPartitionFunction<Row>) part -> {
            while (part.hasNext()) {
                Tensors.pushRows(
                                PsSpark.client().task(TaskContext.get()),
                                counts,
                                new long[] {part.next().getLong(0)},
                                new float[] {1})
                        .await();
            }
        });
    }

    /** Runs a stream over the files, each a micro-batch, until it has no more or fails. */
    private static void stream(TensorId counts, VoidFunction<Dataset<Row>> work) throws Exception {
        ModelCheckpoints checkpoints =
                ModelCheckpoints.at(PsSpark.client(), counts.name()).tensors(counts);
        spark.readStream()
                .schema("id bigint")
                .option("maxFilesPerTrigger", 1)
                .parquet(folder.resolve("rows").toString())
                .writeStream()
                .trigger(Trigger.AvailableNow())
                .option("checkpointLocation", location(counts).toString())
                .foreachBatch(PsSpark.batches(checkpoints, work))
                .start()
                .awaitTermination();
    }

    private static Path location(TensorId counts) {
        return folder.resolve("stream-" + counts.name());
    }

    @Test
    void aBatchThatFailsIsTakenBackAndTrainedOnAgain() throws Exception {
        TensorId counts = counts("failed");
        List<Long> sizes = new ArrayList<>();
        assertThatThrownBy(() -> stream(counts, batch -> {
                    count(batch, counts);
                    sizes.add(batch.count());
                    if (sizes.size() == 2) {
                        throw new IllegalStateException("after its changes");
                    }
                }))
                .hasStackTraceContaining("after its changes");
        assertThat(Tensors.pull(PsSpark.client(), counts)).contains(0).contains(1);
        stream(counts, batch -> count(batch, counts));
        assertThat(sizes).containsExactly((long) ROWS, (long) ROWS);
        assertThat(Tensors.pull(PsSpark.client(), counts)).containsOnly(1);
    }

    /** As after the end of an application between the checkpoint of the model and the commit of the stream. */
    @Test
    void aBatchThatSparkMakesAgainIsPassedOver() throws Exception {
        TensorId counts = counts("again");
        stream(counts, batch -> count(batch, counts));
        Path commit = location(counts).resolve("commits");
        Files.delete(commit.resolve("2"));
        Files.deleteIfExists(commit.resolve(".2.crc"));
        List<Long> sizes = new ArrayList<>();
        stream(counts, batch -> {
            sizes.add(batch.count());
            count(batch, counts);
        });
        assertThat(sizes).isEmpty();
        assertThat(Tensors.pull(PsSpark.client(), counts)).containsOnly(1);
    }
}
