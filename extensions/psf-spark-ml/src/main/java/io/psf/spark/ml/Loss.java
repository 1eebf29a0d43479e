package io.psf.spark.ml;

import java.io.Serializable;

/** The loss of a row's margins, and what a model that was trained for it predicts. */
interface Loss extends Serializable {
    /** Returns the labels that rows may have. */
    LabelKind labels();

    /** Returns the number of margins of a row. */
    int outputs();

    /**
     * Returns the loss of a row, and computes its gradient.
     *
     * @param margins the row's begin {@code at}
     * @param gradient [outputs] float32, filled
     */
    double learn(float[] margins, int at, float label, float[] gradient);

    /**
     * Returns the prediction of a row.
     *
     * @param margins the row's begin {@code at}
     * @param threshold the probability above which a row is of class 1
     */
    double predict(float[] margins, int at, double threshold);
}
