package io.psf.spark.ml;

import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.Param;

/**
 * The params of a prediction of probabilities, which an estimator and its model have in common.
 *
 * @param <S> the estimator or model itself
 */
public interface PsProbabilityParams<S> extends PsClassifierParams<S> {
    /** Returns the param of the column of the probabilities. */
    default Param<String> probabilityCol() {
        return scoring().probabilityCol;
    }

    /** Returns the column of the probabilities. */
    default String getProbabilityCol() {
        return getOrDefault(probabilityCol());
    }

    /** Returns the param of the probability above which the prediction is 1. */
    default DoubleParam threshold() {
        return scoring().threshold;
    }

    /** Returns the probability above which the prediction is 1. */
    default double getThreshold() {
        return (Double) getOrDefault(threshold());
    }

    /** Sets the column of the probabilities of the classes; empty for none. */
    default S setProbabilityCol(String column) {
        return scoring().with(probabilityCol(), column);
    }

    /** Sets the probability above which a prediction of two classes is 1; 0.5 by default. */
    default S setThreshold(double probability) {
        return scoring().with(threshold(), probability);
    }
}
