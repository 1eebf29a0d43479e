package io.psf.spark.ml;

import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;

/**
 * The params of features, which an estimator and its model have in common.
 *
 * @param <S> the estimator or model itself
 */
public interface PsFeatureParams<S> extends PsScoringParams<S> {
    /** Returns the param of the column of vectors. */
    default Param<String> featuresCol() {
        return scoring().featuresCol;
    }

    /** Returns the column of vectors. */
    default String getFeaturesCol() {
        return getOrDefault(featuresCol());
    }

    /** Returns the param of the column of arrays of keys; empty if there are vectors. */
    default Param<String> keysCol() {
        return scoring().keysCol;
    }

    /** Returns the column of arrays of keys; empty if there are vectors. */
    default String getKeysCol() {
        return getOrDefault(keysCol());
    }

    /** Returns the param of the column of arrays of values; empty if all are 1. */
    default Param<String> valuesCol() {
        return scoring().valuesCol;
    }

    /** Returns the column of arrays of values; empty if all are 1. */
    default String getValuesCol() {
        return getOrDefault(valuesCol());
    }

    /** Returns the param of the number of features; 0 for any keys. */
    default LongParam numFeatures() {
        return scoring().numFeatures;
    }

    /** Returns the number of features; 0 for any keys. */
    default long getNumFeatures() {
        return (Long) getOrDefault(numFeatures());
    }

    /** Sets the column of vectors, dense or sparse; {@code features} by default. */
    default S setFeaturesCol(String column) {
        return scoring().with(featuresCol(), column);
    }

    /** Sets the column of arrays of bigint, a row's keys, in place of vectors. */
    default S setKeysCol(String column) {
        return scoring().with(keysCol(), column);
    }

    /** Sets the column of arrays of float or double, the values of the keys; by default all are 1. */
    default S setValuesCol(String column) {
        return scoring().with(valuesCol(), column);
    }
}
