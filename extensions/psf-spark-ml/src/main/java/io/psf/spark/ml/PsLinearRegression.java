package io.psf.spark.ml;

import java.io.Serial;
import java.util.List;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * Linear regression, for more features than a driver holds: of squared errors, of errors of which few may be large
 * (Huber), or of counts (Poisson). Input, validation, solvers and regularization are as in {@link
 * PsLogisticRegression}.
 *
 * <pre>{@code
 * PsLinearRegressionModel model = new PsLinearRegression()
 *         .setKeysCol("keys")
 *         .setLabelCol("seconds")
 *         .setLoss("huber")
 *         .fit(visits);
 * }</pre>
 *
 * <p>A weight moves by about {@code stepSize} with a batch at first, and by less later: labels of large numbers need a
 * larger {@code stepSize}, or are to be divided by their deviation. With {@code poisson} the prediction is the expected
 * count, whose logarithm is linear. {@code epsilon} is the largest error that {@code huber} squares, in units of the
 * label; Spark's own LinearRegression estimates the unit.
 */
public final class PsLinearRegression extends PsLinearLearner<PsLinearRegression, PsLinearRegressionModel> {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String SQUARED = "squaredError";
    private static final String HUBER = "huber";
    private static final String POISSON = "poisson";

    private final Param<String> loss;
    private final DoubleParam epsilon;

    /** Creates an estimator. */
    public PsLinearRegression() {
        this(Identifiable$.MODULE$.randomUID("psLinReg"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsLinearRegression(String uid) {
        super(uid);
        loss = loss(this);
        epsilon = new DoubleParam(
                this,
                "epsilon",
                "largest error that huber squares, in units of the label (> 0)",
                ParamValidators.gt(0));
        setDefault(epsilon, 1.35);
    }

    static Param<String> loss(Params of) {
        Param<String> loss = new Param<>(
                of,
                "loss",
                "squaredError, huber, or poisson for counts",
                ParamValidators.inArray(List.of(SQUARED, HUBER, POISSON)));
        of.setDefault(loss, SQUARED);
        return loss;
    }

    static ScalarLoss loss(String name, double epsilon) {
        return switch (name) {
            case HUBER -> new HuberLoss(epsilon);
            case POISSON -> NumberLoss.POISSON;
            default -> NumberLoss.SQUARED;
        };
    }

    /** Returns the param of the loss. */
    public Param<String> loss() {
        return loss;
    }

    /** Returns the loss. */
    public String getLoss() {
        return getOrDefault(loss());
    }

    /** Returns the param of the largest error that {@code huber} squares. */
    public DoubleParam epsilon() {
        return epsilon;
    }

    /** Returns the largest error that {@code huber} squares. */
    public double getEpsilon() {
        return (Double) getOrDefault(epsilon());
    }

    /** Sets the loss: {@code squaredError}, the default, {@code huber}, or {@code poisson} for counts. */
    public PsLinearRegression setLoss(String name) {
        return with(loss, name);
    }

    /** Sets the largest error that {@code huber} squares, in units of the label; 1.35 by default. */
    public PsLinearRegression setEpsilon(double error) {
        return with(epsilon, error);
    }

    @Override
    Loss loss(int classes) {
        return loss(getLoss(), getEpsilon());
    }

    @Override
    PsLinearRegressionModel model(Weights weights) {
        return new PsLinearRegressionModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsLinearRegression> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsLinearRegression load(String path) {
        return read().load(path);
    }
}
