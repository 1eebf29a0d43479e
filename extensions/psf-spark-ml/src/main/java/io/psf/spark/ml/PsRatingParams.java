package io.psf.spark.ml;

import org.apache.spark.ml.param.Param;

/**
 * The params of users and items, which an estimator and its model have in common.
 *
 * @param <S> the estimator or model itself
 */
public interface PsRatingParams<S> extends PsScoringParams<S> {
    /** Returns the param of the column of users. */
    default Param<String> userCol() {
        return scoring().userCol;
    }

    /** Returns the column of users. */
    default String getUserCol() {
        return getOrDefault(userCol());
    }

    /** Returns the param of the column of items. */
    default Param<String> itemCol() {
        return scoring().itemCol;
    }

    /** Returns the column of items. */
    default String getItemCol() {
        return getOrDefault(itemCol());
    }

    /** Returns the param of what becomes of rows whose user or item is unknown. */
    default Param<String> coldStartStrategy() {
        return scoring().coldStartStrategy;
    }

    /** Returns what becomes of rows whose user or item is unknown. */
    default String getColdStartStrategy() {
        return getOrDefault(coldStartStrategy());
    }

    /** Sets the column of users, whole numbers; {@code user} by default. */
    default S setUserCol(String column) {
        return scoring().with(userCol(), column);
    }

    /** Sets the column of items, whole numbers; {@code item} by default. */
    default S setItemCol(String column) {
        return scoring().with(itemCol(), column);
    }

    /**
     * Sets what becomes of rows whose user or item no row of training had: {@code nan}, the default, predicts NaN;
     * {@code drop} leaves the rows out.
     */
    default S setColdStartStrategy(String strategy) {
        return scoring().with(coldStartStrategy(), strategy);
    }
}
