package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.classification.Classifier;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.jspecify.annotations.Nullable;

/**
 * A linear estimator as a classifier of Spark, such as OneVsRest takes. Spark's classifiers read vectors and know their
 * number of features as an int, so keys of 64 bits and tables wider than the driver are for the estimator itself.
 *
 * <pre>{@code
 * OneVsRest classifiers = new OneVsRest().setClassifier(new PsVectorClassifier(new PsLinearSVC().setMaxIter(20)));
 * }</pre>
 *
 * <p>Labels are 0 or 1. The params of the estimator are set on it, before; the columns of features and label are this
 * classifier's. A model has its weights in the driver, and frees those on the servers.
 */
public final class PsVectorClassifier extends Classifier<Vector, PsVectorClassifier, PsVectorClassificationModel>
        implements MLWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private @Nullable String uid;
    private final PsLinearLearner<?, ?> learner;

    /** Creates a classifier that trains as a logistic regression. */
    public PsVectorClassifier(PsLogisticRegression regression) {
        this((PsLinearLearner<?, ?>) regression);
    }

    /** Creates a classifier that trains as a support vector machine. */
    public PsVectorClassifier(PsLinearSVC machine) {
        this((PsLinearLearner<?, ?>) machine);
    }

    private PsVectorClassifier(PsLinearLearner<?, ?> learner) {
        this.learner = learner;
    }

    /** Returns its id, of which a copy has another one. */
    @Override
    public String uid() {
        uid = uidOr(uid);
        return uid;
    }

    /** Returns a new id if there is none yet: Spark's constructor asks for it before a subclass could have made one. */
    static String uidOr(@Nullable String known) {
        return known == null ? Identifiable$.MODULE$.randomUID("psVectors") : known;
    }

    @Override
    public PsVectorClassificationModel train(Dataset<?> data) {
        return new PsVectorClassificationModel(model(data));
    }

    private PsLinearScorer<?> model(Dataset<?> data) {
        if (learner instanceof PsLogisticRegression regression
                && regression.getFamily().equals(PsLogisticRegression.MULTINOMIAL)) {
            throw new IllegalArgumentException(
                    "family: multinomial (expected: auto or binomial, for labels of 0 and 1)");
        }
        return learner.copy(ParamMap.empty())
                .setFeaturesCol(getFeaturesCol())
                .setLabelCol(getLabelCol())
                .setExportWeights(true)
                .fit(data);
    }

    @Override
    public PsVectorClassifier copy(ParamMap extra) {
        return copyValues(new PsVectorClassifier(learner), extra);
    }

    @Override
    public MLWriter write() {
        return new NestedFiles.Writer(this, learner);
    }

    /** Returns a reader of classifiers. */
    public static MLReader<PsVectorClassifier> read() {
        return new NestedFiles.Reader<>(
                PsVectorClassifier.class,
                PsLinearLearner.class,
                nested -> new PsVectorClassifier((PsLinearLearner<?, ?>) nested));
    }

    /** Reads a classifier that was saved. */
    public static PsVectorClassifier load(String path) {
        return read().load(path);
    }
}
