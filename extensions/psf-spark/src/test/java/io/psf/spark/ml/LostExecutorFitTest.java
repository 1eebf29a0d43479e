package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Tensors;
import io.psf.spark.CountedKill;
import io.psf.spark.LocalCluster;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fits during which an executor is killed, on processes of one application. */
@Timeout(240)
class LostExecutorFitTest {
    @TempDir
    static Path folder;

    private static Path checkpoints;
    private static SparkSession spark;
    private static Dataset<Row> training;
    private static Dataset<Row> test;

    @BeforeAll
    static void start() throws IOException {
        checkpoints = Files.createDirectory(folder.resolve("checkpoints"));
        spark = CountedKill.of(LocalCluster.of(2, 1024), folder)
                .config("spark.psf.checkpoints", checkpoints.toString())
                .config("spark.sql.shuffle.partitions", 2)
                .getOrCreate();
        Dataset<Row> all = Clicks.rows(spark, 8_000, 1);
        training = all.where("not isTest");
        test = all.where("isTest");
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static void killOneAt(String function, int count) throws IOException {
        Map<String, Long> executors = LocalCluster.executors(spark);
        CountedKill.ask(folder, executors.keySet().iterator().next(), function, count);
    }

    /** Returns the folders of steps below the directory of checkpoints. */
    private static List<Path> steps(String uid) throws IOException {
        try (Stream<Path> files = Files.walk(checkpoints)) {
            return files.filter(file ->
                            checkpoints.relativize(file).toString().matches("fits/" + uid + "[^/]*/step-\\d+"))
                    .toList();
        }
    }

    @Test
    void aLogisticRegressionIsThatOfAnUndisturbedFit() throws Exception {
        PsLogisticRegression estimator = new PsLogisticRegression()
                .setMaxIter(4)
                .setBatchSize(256)
                .setValidationIndicatorCol("isTest")
                .setPatience(9);
        Dataset<Row> all = training.union(test);
        PsLogisticRegressionModel undisturbed = estimator.fit(all);
        long before = PsSpark.client().rollback();
        killOneAt("psf.sparse.push", 35); // of some 26 an epoch
        PsLogisticRegressionModel model = estimator.fit(all);
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(PsSpark.client().rollback()).isGreaterThan(before);
        assertThat(model.epochs()).isEqualTo(4);
        double auc = Clicks.auc(undisturbed.transform(test));
        assertThat(auc).isGreaterThan(0.75);
        assertThat(Clicks.auc(model.transform(test))).isCloseTo(auc, within(0.005));
        assertThat(steps(model.uid())).hasSize(4);
        model.release();
        undisturbed.release();
        assertThat(steps(model.uid())).isEmpty();
    }

    @Test
    void aFactorizationMachineIsThatOfAnUndisturbedFit() throws Exception {
        PsFactorizationMachine estimator = new PsFactorizationMachine()
                .setKeysCol("keys")
                .setValuesCol("values")
                .setStepSize(0.1)
                .setMaxIter(3)
                .setBatchSize(256);
        PsFactorizationMachineModel undisturbed = estimator.fit(training);
        killOneAt("psf.sparse.push", 40);
        PsFactorizationMachineModel model = estimator.fit(training);
        assertThat(CountedKill.isDone(folder)).isTrue();
        double auc = Clicks.auc(undisturbed.transform(test));
        assertThat(auc).isGreaterThan(0.7);
        assertThat(Clicks.auc(model.transform(test))).isCloseTo(auc, within(0.01));
        model.release();
        undisturbed.release();
    }

    /** Words of a topic are near each other. */
    @Test
    void wordVectorsAreThoseOfAnUndisturbedFit() throws Exception {
        Dataset<Row> text = spark.range(0, 1500, 1, 2)
                .select(expr("transform(sequence(1, 12), i -> concat('t', id % 5, 'w', " + "abs(xxhash64(id, i)) % 8))")
                        .as("words"));
        PsWord2Vec estimator = new PsWord2Vec()
                .setInputCol("words")
                .setOutputCol("vector")
                .setVectorSize(16)
                .setMaxIter(3)
                .setStepSize(0.05)
                .setSubsampling(0);
        killOneAt("psf.spark.skipgram.adjust", 50); // of some 36 an epoch
        PsWord2VecModel model = estimator.fit(text);
        assertThat(CountedKill.isDone(folder)).isTrue();
        int same = 0;
        for (int topic = 0; topic < 5; topic++) {
            for (Row row : model.findSynonyms("t" + topic + "w0", 7).collectAsList()) {
                same += row.getString(0).startsWith("t" + topic) ? 1 : 0;
            }
        }
        assertThat(same).isGreaterThanOrEqualTo(33);
        assertThat(steps(model.uid())).hasSize(2);
        model.release();
        assertThat(steps(model.uid())).isEmpty();
    }

    /** Another model's checkpoints let the server come back, without what this fit has on it. */
    @Test
    void aFitWithoutCheckpointsFailsAndSaysWhy() throws Exception {
        ModelCheckpoints.at(PsSpark.client(), "other").save(1, Map.of());
        PsLogisticRegression estimator =
                new PsLogisticRegression().setMaxIter(50).setBatchSize(256).setCheckpoints(false);
        killOneAt("psf.sparse.push", 35);
        assertThatThrownBy(() -> estimator.fit(training))
                .satisfiesAnyOf(
                        failure -> assertThat(failure).hasMessageContaining("a server was lost in epoch"),
                        failure -> assertThat(failure).hasStackTraceContaining("ROLLED_BACK"));
        assertThat(CountedKill.isDone(folder)).isTrue();
        assertThat(Tensors.list(PsSpark.client()))
                .noneMatch(summary -> summary.tensor().id().name().startsWith(estimator.uid()));
        assertThat(ModelCheckpoints.at(PsSpark.client(), "other").loadLatest()).isPresent();
    }
}
