package io.psf.spark.ml;

import java.io.Serial;
import java.util.List;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;

/** An estimator of a linear model, with FTRL or AdaGrad on the servers. */
abstract class PsLinearLearner<E extends PsLinearLearner<E, M>, M extends PsLinearScorer<M>>
        extends PsFeatureLearner<E, M> {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String FTRL = "ftrl";
    private static final String ADAGRAD = "adagrad";

    private final DoubleParam elasticNetParam;
    private final Param<String> solver;

    PsLinearLearner(String uid) {
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

    /** Returns the loss, for labels of so many classes. */
    abstract Loss loss(int classes);

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
    public E setElasticNetParam(double part) {
        return with(elasticNetParam, part);
    }

    /** Sets the optimizer on the servers: {@code ftrl}, the default, or {@code adagrad}. */
    public E setSolver(String name) {
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
    Kernel kernel(int classes) {
        return new LinearKernel(loss(classes), isFtrl() ? 0 : (float) getRegParam());
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
}
