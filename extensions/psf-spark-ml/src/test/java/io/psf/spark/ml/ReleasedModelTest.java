package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.builtin.Tensors;
import io.psf.spark.LocalSpark;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.ml.evaluation.Evaluator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.CrossValidatorModel;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models whose weights on the servers are freed, by their user or since nothing refers to them. */
@Timeout(180)
class ReleasedModelTest {
    private static Dataset<Row> rows;

    @BeforeAll
    static void start() {
        rows = Clicks.rows(LocalSpark.get(), 2_000, 1).localCheckpoint();
    }

    private static PsLogisticRegression estimator() {
        return new PsLogisticRegression().setMaxIter(1);
    }

    /** Returns the number of models of an estimator on the servers: each is two tensors. */
    private static long served(String uid) {
        return Tensors.list(PsSpark.client()).stream()
                        .filter(summary -> summary.tensor().id().name().startsWith(uid))
                        .count()
                / 2;
    }

    private static void awaitNone(String uid) {
        await().until(() -> {
            System.gc();
            return served(uid) == 0;
        });
    }

    @Test
    void aReleasedModelScoresNoMore(@TempDir Path folder) throws IOException {
        PsLogisticRegressionModel model = estimator().fit(rows);
        assertThat(served(model.uid())).isEqualTo(1);
        PsLogisticRegressionModel copy = model.copy(ParamMap.empty());
        String path = folder + "/model";
        model.write().save(path);
        model.release();
        model.release();
        assertThat(served(model.uid())).isZero();
        assertThatThrownBy(() -> copy.transform(rows)).hasMessageContaining("exported() before release()");
        assertThatThrownBy(copy::getWeights).hasMessageContaining("exported() before release()");
        assertThatThrownBy(() -> copy.write().overwrite().save(path))
                .hasMessageContaining("exported() before release()");
        assertThat(PsLogisticRegressionModel.load(path).getWeights().count()).isPositive();
    }

    @Test
    void aFrameThatIsEvaluatedAfterTheReleaseSaysWhatToDo() {
        PsLogisticRegressionModel model = estimator().fit(rows);
        Dataset<Row> scored = model.transform(rows);
        Dataset<Row> weights = model.getWeights();
        Dataset<Row> cached = model.transform(rows).cache();
        long count = cached.count();
        model.release();
        assertThat(cached.where("probability is not null").count()).isEqualTo(count);
        for (Dataset<Row> late : List.of(scored, weights)) {
            assertThatThrownBy(late::collectAsList)
                    .hasStackTraceContaining(model.uid())
                    .hasStackTraceContaining("evaluated, cached or written before release()");
        }
        cached.unpersist();
    }

    @Test
    void aModelIsFreedOnceNothingRefersToItOrToItsFrames() {
        PsLogisticRegression estimator = estimator();
        Dataset<Row> scored = estimator.fit(rows).transform(rows);
        System.gc();
        estimator.fit(rows); // a later fit, which has the garbage collected, too
        await().until(() -> {
            System.gc();
            return served(estimator.uid()) == 1;
        });
        assertThat(scored.count()).isEqualTo(rows.count());
        assertThat(scored.where("probability is not null").count()).isEqualTo(rows.count());
        scored = rows;
        awaitNone(estimator.uid());
        assertThat(scored.isEmpty()).isFalse();
    }

    /** Evaluates a model once it is the only one of its estimator on the servers. */
    private static final class AwaitingOne extends Evaluator {
        @Serial
        private static final long serialVersionUID = 1;

        private final String of;
        private int evaluated;

        AwaitingOne(String of) {
            this.of = of;
        }

        @Override
        public double evaluate(Dataset<?> scored) {
            await().until(() -> served(of) == 1);
            evaluated++;
            return new BinaryClassificationEvaluator().evaluate(scored);
        }

        @Override
        public Evaluator copy(ParamMap extra) {
            return this;
        }

        @Override
        public String uid() {
            return "awaitingOne";
        }
    }

    @Tag("long")
    @Test
    void modelsThatACrossValidatorHasDroppedAreFreedBeforeOthersAreTrained() {
        PsLogisticRegression estimator = estimator();
        ParamMap[] grid = new ParamGridBuilder()
                .addGrid(estimator.stepSize(), new double[] {1e-6, 1e-3, 0.1})
                .build();
        AwaitingOne evaluator = new AwaitingOne(estimator.uid());
        CrossValidatorModel chosen = new CrossValidator()
                .setEstimator(estimator)
                .setEstimatorParamMaps(grid)
                .setEvaluator(evaluator)
                .setNumFolds(2)
                .fit(rows);
        assertThat(evaluator.evaluated).isEqualTo(6);
        assertThat(chosen.transform(rows).count()).isEqualTo(rows.count());
        chosen = null;
        awaitNone(estimator.uid());
    }
}
