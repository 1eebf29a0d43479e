package io.psf.spark.ml;

import org.apache.spark.ml.param.StringArrayParam;

/**
 * The params of columns of categories, which an estimator and its model have in common.
 *
 * @param <S> the estimator or model itself
 */
public interface PsFieldParams<S> extends PsScoringParams<S> {
    /** Returns the param of the columns of categories. */
    default StringArrayParam inputCols() {
        return scoring().inputCols;
    }

    /** Returns the columns of categories. */
    default String[] getInputCols() {
        return getOrDefault(inputCols());
    }

    /**
     * Sets the columns of categories: texts, numbers, each of which is a category, or arrays of them. A null has no part
     * in a prediction.
     */
    default S setInputCols(String... columns) {
        return scoring().with(inputCols(), columns.clone());
    }
}
