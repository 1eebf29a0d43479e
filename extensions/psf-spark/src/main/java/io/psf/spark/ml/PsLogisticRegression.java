package io.psf.spark.ml;

import java.io.Serial;
import java.util.List;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * Logistic regression with two classes, for more features than a driver holds: the weights are on the servers, where
 * FTRL or AdaGrad changes them. Tasks pull the weights of a batch of rows and push its gradients, without waiting for
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
 * <p>With a column of validation the training ends when epochs bring no progress; the model has the weights after the
 * last epoch, not the best epoch's weights.
 */
public final class PsLogisticRegression extends PsLearner<PsLogisticRegression, PsLogisticRegressionModel> {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String FTRL = "ftrl";
    private static final String ADAGRAD = "adagrad";

    private final DoubleParam elasticNetParam;
    private final Param<String> solver;

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
        elasticNetParam = new DoubleParam(
                this, "elasticNetParam", "part of L1 in the regularization, in [0, 1]", ParamValidators.inRange(0, 1));
        solver = new Param<>(
                this,
                "solver",
                "optimizer on the servers: ftrl or adagrad",
                ParamValidators.inArray(List.of(FTRL, ADAGRAD)));
        setDefault(elasticNetParam, 0.0);
        setDefault(solver, FTRL);
    }

    /** Returns the param of the part of L1 in the regularization. */
    public DoubleParam elasticNetParam() {
        return elasticNetParam;
    }

    /** Returns the part of L1 in the regularization. */
    public double getElasticNetParam() {
        return (Double) getOrDefault(elasticNetParam());
    }

    /** Returns the param of the optimizer. */
    public Param<String> solver() {
        return solver;
    }

    /** Returns the optimizer. */
    public String getSolver() {
        return getOrDefault(solver());
    }

    /** Sets the part of L1 in the regularization, from 0 to 1; 0 by default. With {@code ftrl} only. */
    public PsLogisticRegression setElasticNetParam(double part) {
        return with(elasticNetParam, part);
    }

    /** Sets the optimizer on the servers: {@code ftrl}, the default, or {@code adagrad}. */
    public PsLogisticRegression setSolver(String name) {
        return with(solver, name);
    }

    private boolean isFtrl() {
        return getSolver().equals(FTRL);
    }

    @Override
    void checkParams() {
        if (!isFtrl() && getElasticNetParam() > 0) {
            throw new IllegalArgumentException("elasticNetParam: " + getElasticNetParam()
                    + " (expected: 0, since solver is " + ADAGRAD + ", or solver " + FTRL + ")");
        }
    }

    @Override
    Kernel kernel() {
        return new LinearKernel(isFtrl() ? 0 : (float) getRegParam());
    }

    @Override
    Fitting.Rules rules(double rows) {
        double rate = getStepSize();
        if (!isFtrl()) {
            return new Fitting.Rules(Rule.adaGrad(rate), Rule.adaGrad(rate));
        }
        double strength = getRegParam() * rows;
        double lasso = getElasticNetParam();
        return new Fitting.Rules(Rule.ftrl(rate, strength * lasso, strength * (1 - lasso)), Rule.ftrl(rate, 0, 0));
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
