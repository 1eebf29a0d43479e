package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.builtin.Tensors;
import io.psf.spark.PsSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.classification.Classifier;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.classification.OneVsRest;
import org.apache.spark.ml.classification.OneVsRestModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Estimators as the classifiers of Spark's OneVsRest. */
@Timeout(180)
class OneVsRestTest {
    /** Of Spark's logistic regression, which a test with the tag long fits. */
    private static final double ACCURACY_OF_SPARK = .7719;

    private static Dataset<Row> training;
    private static Dataset<Row> test;

    @BeforeAll
    static void start() {
        Dataset<Row> all = PlantedLabels.rows(6_000, 3).localCheckpoint();
        training = all.where("not isTest");
        test = all.where("isTest");
    }

    private static OneVsRest oneVsRest(Classifier<?, ?, ?> classifier) {
        return new OneVsRest().setClassifier(classifier).setLabelCol("class");
    }

    private static double accuracy(OneVsRestModel model) {
        return (double) model.transform(test).where("prediction = class").count() / test.count();
    }

    @Test
    @Tag("long")
    void theConstantIsThatOfSparksModel() {
        assertThat(accuracy(oneVsRest(new LogisticRegression()).fit(training)))
                .isCloseTo(ACCURACY_OF_SPARK, within(.002));
    }

    @Test
    void classesAreToldApartAsBySparksClassifier() {
        assertThat(ACCURACY_OF_SPARK).isGreaterThan(.7);
        PsLogisticRegression regression =
                new PsLogisticRegression().setMaxIter(6).setBatchSize(64);
        PsLinearSVC machine = new PsLinearSVC().setMaxIter(6).setBatchSize(64);
        for (PsVectorClassifier each : List.of(new PsVectorClassifier(regression), new PsVectorClassifier(machine))) {
            OneVsRestModel model = oneVsRest(each).fit(training);
            assertThat(model.models()).hasSize(PlantedLabels.CLASSES);
            assertThat(accuracy(model)).isCloseTo(ACCURACY_OF_SPARK, within(.02));
        }
        assertThat(Tensors.list(PsSpark.client()))
                .as("tensors on the servers")
                .extracting(summary -> summary.tensor().id().name())
                .noneMatch(name -> name.startsWith(regression.uid()) || name.startsWith(machine.uid()));
    }

    @Tag("long")
    @Test
    void theModelIsSavedAndLoadedWithItsClassifier(@TempDir Path folder) throws IOException {
        PsLogisticRegression regression = new PsLogisticRegression().setMaxIter(2);
        OneVsRestModel model = oneVsRest(new PsVectorClassifier(regression)).fit(training);
        model.write().save(folder + "/model");
        OneVsRestModel loaded = OneVsRestModel.load(folder + "/model");
        assertThat(loaded.transform(test).collectAsList())
                .isEqualTo(model.transform(test).collectAsList());
        oneVsRest(new PsVectorClassifier(regression)).write().save(folder + "/estimator");
        OneVsRestModel again = OneVsRest.load(folder + "/estimator").fit(training);
        assertThat(accuracy(again)).isCloseTo(accuracy(model), within(.03));
    }

    @Test
    void moreClassesThanTwoAreForTheEstimatorItself() {
        PsVectorClassifier classifier = new PsVectorClassifier(new PsLogisticRegression().setMaxIter(1));
        assertThatThrownBy(() -> classifier.setLabelCol("class").fit(training))
                .hasMessageContaining("weights of a feature: 4 (expected: one");
        PsVectorClassifier multinomial = new PsVectorClassifier(new PsLogisticRegression().setFamily("multinomial"));
        assertThatThrownBy(() -> multinomial.setLabelCol("class").fit(training))
                .hasMessage("family: multinomial (expected: auto or binomial, for labels of 0 and 1)");
    }
}
