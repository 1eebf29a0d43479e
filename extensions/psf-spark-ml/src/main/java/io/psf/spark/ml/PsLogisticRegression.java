package io.psf.spark.ml;

import java.io.Serial;
import java.util.List;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * Logistic regression, for more features than a driver holds: the weights are on the servers, where FTRL or AdaGrad
 * changes them. Tasks pull the weights of a batch of rows and push its gradients, without waiting for
 * each other, so two trainings differ a little.
 *
 * <pre>{@code
 * PsLogisticRegression regression = new PsLogisticRegression()
 *         .setKeysCol("keys")
 *         .setLabelCol("clicked")
 *         .setValidationIndicatorCol("isLate")
 *         .setMaxIter(20);
 * PsLogisticRegressionModel model = regression.fit(impressions);
 * model.write().overwrite().save("hdfs:///models/clicks");
 * model.transform(others).write().parquet("hdfs:///scores/clicks");
 * model.release();
 * }</pre>
 *
 * <p>Features are vectors, or arrays of keys, with arrays of values or without: keys are any bigint, such as hashes of
 * 64 bits, and need no number of features. Rows are shuffled, so their order in the input does not matter. {@code
 * regParam} and {@code elasticNetParam} are as in Spark's logistic regression for FTRL: strengths for the mean loss,
 * times the number of rows; the regularization counts once, not in each epoch. AdaGrad has L2 only, of the features
 * that a row has. Features are not standardized.
 *
 * <p>Labels are classes: 0, 1, .. up to 999. With two classes there is a weight for each feature, with more of them one
 * for each feature and class, as {@code family} says.
 *
 * <p>With a column of validation the training ends when epochs bring no progress; the model has the weights after the
 * last epoch, not the best epoch's weights.
 */
public final class PsLogisticRegression extends PsLinearLearner<PsLogisticRegression, PsLogisticRegressionModel>
        implements PsProbabilityParams<PsLogisticRegression> {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String AUTO = "auto";
    private static final String BINOMIAL = "binomial";
    static final String MULTINOMIAL = "multinomial";

    private final Param<String> family;

    /** Creates an estimator. */
    public PsLogisticRegression() {
        this(Identifiable$.MODULE$.randomUID("psLogReg"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsLogisticRegression(String uid) {
        super(uid);
        family = new Param<>(
                this,
                "family",
                "of the labels: binomial for 0 and 1, multinomial for any classes, or auto, by the labels",
                ParamValidators.inArray(List.of(AUTO, BINOMIAL, MULTINOMIAL)));
        setDefault(family, AUTO);
    }

    /** Returns the param of the family of the labels. */
    public Param<String> family() {
        return family;
    }

    /** Returns the family of the labels. */
    public String getFamily() {
        return getOrDefault(family());
    }

    /**
     * Sets the family of the labels: {@code binomial} for 0 and 1, {@code multinomial} for any classes; {@code auto},
     * the default, is multinomial if there are more than two classes.
     */
    public PsLogisticRegression setFamily(String name) {
        return with(family, name);
    }

    @Override
    LabelKind labels() {
        return getFamily().equals(BINOMIAL) ? LabelKind.BINARY : LabelKind.CLASSES;
    }

    @Override
    Loss loss(int classes) {
        boolean isBinary = getFamily().equals(BINOMIAL) || getFamily().equals(AUTO) && classes <= 2;
        return isBinary ? BinaryLoss.LOGISTIC : new SoftmaxLoss(Math.max(2, classes));
    }

    @Override
    PsLogisticRegressionModel model(Weights weights) {
        return new PsLogisticRegressionModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsLogisticRegression> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsLogisticRegression load(String path) {
        return read().load(path);
    }
}
