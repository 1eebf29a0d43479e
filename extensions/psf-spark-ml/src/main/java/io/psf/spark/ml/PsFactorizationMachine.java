package io.psf.spark.ml;

import java.io.Serial;
import java.util.List;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * A factorization machine of degree 2, as Spark's FMClassifier and FMRegressor, for more features than a driver holds:
 * weights and factors are on the servers, where AdaGrad changes them. Input, validation and the training are as in
 * {@link PsLogisticRegression}.
 *
 * <pre>{@code
 * PsFactorizationMachine machine = new PsFactorizationMachine()
 *         .setKeysCol("keys")
 *         .setFactorSize(8)
 *         .setLossType("squaredError");
 * PsFactorizationMachineModel model = machine.fit(ratings);
 * }</pre>
 *
 * <p>With {@code lossType} {@code logisticLoss}, the default, labels are 0 or 1; with {@code squaredError} the model is
 * a regression and adds the column of the prediction only. A feature that no row of training had has no part in
 * predictions. {@code regParam} is L2 of the features that a row has.
 */
public final class PsFactorizationMachine extends PsFeatureLearner<PsFactorizationMachine, PsFactorizationMachineModel>
        implements PsProbabilityParams<PsFactorizationMachine> {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String LOGISTIC = "logisticLoss";
    private static final String SQUARED = "squaredError";

    private final IntParam factorSize;
    private final BooleanParam fitLinear;
    private final DoubleParam initStd;
    private final Param<String> lossType;

    /** Creates an estimator. */
    public PsFactorizationMachine() {
        this(Identifiable$.MODULE$.randomUID("psFm"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsFactorizationMachine(String uid) {
        super(uid);
        factorSize = new IntParam(this, "factorSize", "number of factors (> 0)", ParamValidators.gt(0));
        fitLinear = new BooleanParam(this, "fitLinear", "whether there is a linear part");
        initStd = new DoubleParam(
                this, "initStd", "standard deviation of the initial factors (> 0)", ParamValidators.gt(0));
        lossType = lossType(this);
        setDefault(factorSize, 8);
        setDefault(fitLinear, true);
        setDefault(initStd, 0.01);
        setDefault(stepSize(), 0.03);
    }

    static Param<String> lossType(org.apache.spark.ml.param.Params of) {
        Param<String> lossType = new Param<>(
                of,
                "lossType",
                "logisticLoss for labels of 0 or 1, or squaredError",
                ParamValidators.inArray(List.of(LOGISTIC, SQUARED)));
        of.setDefault(lossType, LOGISTIC);
        return lossType;
    }

    static ScalarLoss loss(String lossType) {
        return lossType.equals(LOGISTIC) ? BinaryLoss.LOGISTIC : NumberLoss.SQUARED;
    }

    /** Returns the param of the number of factors. */
    public IntParam factorSize() {
        return factorSize;
    }

    /** Returns the number of factors. */
    public int getFactorSize() {
        return (Integer) getOrDefault(factorSize());
    }

    /** Returns the param of whether there is a linear part. */
    public BooleanParam fitLinear() {
        return fitLinear;
    }

    /** Returns whether there is a linear part. */
    public boolean getFitLinear() {
        return (Boolean) getOrDefault(fitLinear());
    }

    /** Returns the param of the standard deviation of the initial factors. */
    public DoubleParam initStd() {
        return initStd;
    }

    /** Returns the standard deviation of the initial factors. */
    public double getInitStd() {
        return (Double) getOrDefault(initStd());
    }

    /** Returns the param of the loss. */
    public Param<String> lossType() {
        return lossType;
    }

    /** Returns the loss. */
    public String getLossType() {
        return getOrDefault(lossType());
    }

    /** Sets the number of factors; 8 by default. */
    public PsFactorizationMachine setFactorSize(int factors) {
        return with(factorSize, factors);
    }

    /** Sets whether there is a linear part; true by default. */
    public PsFactorizationMachine setFitLinear(boolean fits) {
        return with(fitLinear, fits);
    }

    /** Sets the standard deviation of the initial factors; 0.01 by default. */
    public PsFactorizationMachine setInitStd(double deviation) {
        return with(initStd, deviation);
    }

    /** Sets the loss: {@code logisticLoss}, the default, or {@code squaredError}. */
    public PsFactorizationMachine setLossType(String name) {
        return with(lossType, name);
    }

    @Override
    Kernel kernel(int classes) {
        return new FactorKernel(
                loss(getLossType()),
                getFactorSize(),
                getFitLinear(),
                (float) getInitStd(),
                (float) getRegParam(),
                getSeed());
    }

    @Override
    Fitting.Rules rules(double rows) {
        Rule adaGrad = Rule.adaGrad(getStepSize());
        return new Fitting.Rules(adaGrad, adaGrad);
    }

    @Override
    PsFactorizationMachineModel model(Weights weights) {
        return new PsFactorizationMachineModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsFactorizationMachine> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsFactorizationMachine load(String path) {
        return read().load(path);
    }
}
