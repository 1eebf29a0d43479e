package io.psf.spark.ml;

import org.apache.spark.ml.param.Param;

/**
 * The params of a prediction of classes, which an estimator and its model have in common.
 *
 * @param <S> the estimator or model itself
 */
public interface PsClassifierParams<S> extends PsScoringParams<S> {
    /** Returns the param of the column of a number for each class. */
    default Param<String> rawPredictionCol() {
        return scoring().rawPredictionCol;
    }

    /** Returns the column of a number for each class. */
    default String getRawPredictionCol() {
        return getOrDefault(rawPredictionCol());
    }

    /** Sets the column of a number for each class, such as its logit; empty for none. */
    default S setRawPredictionCol(String column) {
        return scoring().with(rawPredictionCol(), column);
    }
}
