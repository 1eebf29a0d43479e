package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.spark.CountedKill;
import io.psf.spark.LocalCluster;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/**
 * Fits without checkpoints, in whose midst an executor is killed that has rows and no server. Its rows are made again of
 * the files of the estimator's shuffle.
 */
@Tag("long")
@Timeout(180)
class LostRowsTest {
    @TempDir
    static Path folder;

    private static SparkSession spark;
    private static Dataset<Row> rows;

    @BeforeAll
    static void start() {
        spark = CountedKill.of(LocalCluster.of(2, 1024), folder)
                .config("spark.psf.servers", 1)
                .getOrCreate();
        rows = Clicks.rows(spark, 8_000, 1);
    }

    @AfterAll
    static void stop() throws IOException {
        spark.close();
    }

    private static PsLogisticRegression estimator() {
        return new PsLogisticRegression()
                .setKeysCol("keys")
                .setNumPartitions(4)
                .setBatchSize(50)
                .setMaxIter(3);
    }

    /** Kills the executor without a server in the midst of the second epoch. */
    private static void kill() throws IOException {
        assertThat(PsSpark.client().rollback()).isZero(); // the server has handled a call
        Map<String, Long> found = new JavaSparkContext(spark.sparkContext())
                .parallelize(Collections.nCopies(8, 0), 8)
                .mapToPair(ignored -> {
                    Thread.sleep(100); // so that each executor gets some
                    return new Tuple2<>(
                            SparkEnv.get().executorId(),
                            CountedKill.handled() == 0 ? ProcessHandle.current().pid() : 0);
                })
                .collectAsMap();
        String server = found.entrySet().stream()
                .filter(each -> each.getValue() == 0)
                .findFirst()
                .orElseThrow()
                .getKey();
        long other = found.values().stream().mapToLong(each -> each).sum();
        CountedKill.ask(folder, server, "psf.sparse.push", 210, other); // of 160 in an epoch
    }

    @Test
    void rowsThatHaveAnOrderAreTrainedOn() throws IOException {
        kill();
        PsLogisticRegressionModel model = estimator().fit(rows);
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(Clicks.auc(model.transform(rows))).isGreaterThan(.75);
        model.release();
    }

    @Test
    void rowsOfAShuffleAreRefused() throws IOException {
        kill();
        assertThatThrownBy(() -> estimator().fit(rows.repartition(3))).hasMessageContaining("OTHER_ATTEMPT: step ");
        assertThat(CountedKill.isDone(folder)).isTrue();
    }
}
