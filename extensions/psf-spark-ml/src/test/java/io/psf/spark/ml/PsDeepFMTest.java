package io.psf.spark.ml;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of rows whose label no pair of categories shows. */
@Timeout(180)
class PsDeepFMTest {
    private static Dataset<Row> training;
    private static Dataset<Row> test;
    private static PsDeepFMModel model;

    @BeforeAll
    static void start() {
        Dataset<Row> all = Parities.rows(LocalSpark.get()).localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
        model = Parities.estimator().fit(training);
    }

    @AfterAll
    static void release() {
        model.release();
    }

    @Test
    void parityIsLearnedThatPairsDoNotShow() {
        PsFeatureHasher hasher = new PsFeatureHasher().setInputCols("site", "device", "words");
        PsFactorizationMachineModel pairs =
                new PsFactorizationMachine().setKeysCol("keys").setMaxIter(4).fit(hasher.transform(training));
        double ofPairs = Parities.auc(pairs.transform(hasher.transform(test)));
        double ofModel = Parities.auc(model.transform(test));
        assertThat(ofPairs).isLessThan(.6);
        assertThat(ofModel).as("the least error is .1").isGreaterThan(.85);
        assertThat(ofModel).isGreaterThan(plain() - .02);
        pairs.release();
    }

    /** Returns the area of the same network on one thread, with Adam beside it, and no server. */
    private static double plain() {
        Batch learned = batch(training);
        Batch tested = batch(test);
        Kernel kernel = Parities.estimator().kernel(2);
        int width = kernel.width();
        float[] weights = new float[learned.keys().length * width];
        kernel.complete(learned.keys(), learned.keys().length, weights, false);
        float[] shared = kernel.begin();
        PlainAdam ofWeights = new PlainAdam(weights);
        PlainAdam ofShared = new PlainAdam(shared);
        float[] update = new float[weights.length];
        int size = 64;
        for (int step = 0; step < 8 * learned.rows() / size; step++) {
            int from = step * size % (learned.rows() - size);
            Kernel.Sums sums = new Kernel.Sums(shared.length);
            kernel.learn(part(learned, from, from + size), weights, shared, update, sums);
            ofWeights.step(i -> update[i]);
            ofShared.step(i -> sums.bias[i]);
        }
        LocalWeights all = new LocalWeights(kernel, learned.keys(), weights, shared);
        return area(all.margins(tested, false), tested.labels());
    }

    /** Rows as one batch, as the estimator makes it. */
    private static Batch batch(Dataset<Row> rows) {
        Rows all = new Rows();
        for (Row row : Fields.withKeys(Parities.estimator().getInputCols(), rows)
                .select(Fields.KEYS, "label")
                .collectAsList()) {
            List<Long> keys = row.getList(0);
            keys.forEach(key -> all.add(key, 1));
            all.endRow(row.getInt(1), 1);
        }
        return new BatchBuilder().build(all);
    }

    private static Batch part(Batch all, int from, int to) {
        int begin = from == 0 ? 0 : all.ends()[from - 1];
        int[] ends = Arrays.stream(all.ends(), from, to).map(end -> end - begin).toArray();
        return new Batch(
                Arrays.copyOfRange(all.labels(), from, to),
                Arrays.copyOfRange(all.importance(), from, to),
                ends,
                all.keys(),
                Arrays.copyOfRange(all.slots(), begin, all.ends()[to - 1]),
                null);
    }

    private static double area(float[] margins, float[] labels) {
        double[] counts = Measure.bins();
        for (int i = 0; i < labels.length; i++) {
            Measure.count(counts, margins[i], labels[i], 1);
        }
        return new Measure(labels.length, labels.length, 0, counts).auc();
    }

    @Test
    void aModelIsExportedSavedAndLoaded(@TempDir Path folder) throws IOException {
        List<Row> expected = Parities.probabilities(model.transform(test));
        PsDeepFMModel exported = model.exported();
        assertThat(Parities.probabilities(exported.transform(test))).isEqualTo(expected);
        assertThat(exported.transform(test).columns())
                .endsWith("isTest", "rawPrediction", "probability", "prediction")
                .hasSize(8);
        model.write().save(folder + "/model");
        PsDeepFMModel loaded = PsDeepFMModel.load(folder + "/model");
        assertThat(Parities.probabilities(loaded.transform(test))).isEqualTo(expected);
        assertThat(loaded.intercept()).isEqualTo(model.intercept()).isNotZero();
        PsDeepFMModel served = PsDeepFMModel.read().onServers().load(folder + "/model");
        assertThat(served.isExported()).isFalse();
        assertThat(Parities.probabilities(served.transform(test))).isEqualTo(expected);
        served.release();
        Parities.estimator().setFactorSize(5).write().save(folder + "/estimator");
        PsDeepFM again = PsDeepFM.load(folder + "/estimator");
        assertThat(again.getHiddenLayers()).containsExactly(16, 8);
        assertThat(again.getFactorSize()).isEqualTo(5);
    }

    @Test
    void aFitBeginsWithAModelWhoseNetworkIsTheSame() {
        PsDeepFMModel more =
                Parities.estimator().setInitialModel(model).setMaxIter(1).fit(training);
        assertThat(more.summary().objectiveHistory().get(0)).isLessThan(.4);
        more.release();
        assertThatThrownBy(() -> Parities.estimator()
                        .setHiddenLayers(16)
                        .setInitialModel(model)
                        .fit(training))
                .hasMessage(
                        "layers of the initial model: [24, 16, 8, 1] (expected: [24, 16, 1], as of this estimator)");
    }

    @Test
    void nullsAndUnknownCategoriesHaveNoPart() {
        Dataset<Row> odd = test.limit(5)
                .withColumn("site", expr("string(null)"))
                .union(test.limit(5).withColumn("site", expr("'elsewhere'")));
        List<Row> scored = Parities.probabilities(model.exported().transform(odd));
        assertThat(scored.subList(0, 5)).isEqualTo(scored.subList(5, 10));
        assertThat(Parities.probabilities(model.transform(odd))).isEqualTo(scored);
    }

    @Test
    void aWholeNumberIsTheSameCategoryInEachType() {
        List<Row> scored = Parities.probabilities(model.transform(test));
        for (String type : List.of("tinyint", "smallint", "bigint")) {
            Dataset<Row> cast = test.withColumn("device", expr("cast(device as " + type + ")"));
            assertThat(Parities.probabilities(model.transform(cast))).as(type).isEqualTo(scored);
        }
        PsFeatureHasher hasher = new PsFeatureHasher().setInputCols("numbers");
        Dataset<Row> arrays = training.limit(1).selectExpr("array(1, 2) as numbers");
        assertThat(hasher.transform(arrays.selectExpr("cast(numbers as array<bigint>)"))
                        .select("keys")
                        .first())
                .isEqualTo(hasher.transform(arrays).select("keys").first());
    }

    @Test
    void aPipelineIsValidated() {
        PsDeepFM deep = Parities.estimator()
                .setMaxIter(2)
                .setValidationIndicatorCol("isTest")
                .setExportWeights(true);
        PipelineModel fitted =
                new Pipeline().setStages(new PipelineStage[] {deep}).fit(training.union(test));
        PsTrainingSummary summary = ((PsDeepFMModel) fitted.stages()[0]).summary();
        assertThat(summary.areaHistory()).hasSize(2).allMatch(area -> area > .5);
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThatThrownBy(() -> new PsDeepFM().fit(training))
                .hasMessage("inputCols: none (expected: at least one column)");
        assertThatThrownBy(() -> Parities.estimator().setInputCols("where").fit(training))
                .hasMessageContaining("input column \"where\": none");
        assertThatThrownBy(() -> Parities.estimator().setHiddenLayers(16, 0).fit(training))
                .hasMessage("hiddenLayers: [16, 0] (expected: each at least 1)");
        assertThatThrownBy(() -> Parities.estimator().setFitIntercept(false).fit(training))
                .hasMessageContaining("fitIntercept: false");
    }
}
