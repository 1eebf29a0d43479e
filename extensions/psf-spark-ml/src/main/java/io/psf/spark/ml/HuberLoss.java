package io.psf.spark.ml;

import java.io.Serial;

/**
 * The squared loss of small errors, and a linear one of large ones (Huber, 1964), so that few wrong labels have little
 * weight.
 *
 * @param epsilon the largest error whose loss is squared
 */
record HuberLoss(double epsilon) implements ScalarLoss {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public double loss(double margin, float label) {
        double error = Math.abs(margin - label);
        return error <= epsilon ? error * error / 2 : epsilon * (error - epsilon / 2);
    }

    @Override
    public double gradient(double margin, float label) {
        return Math.max(-epsilon, Math.min(epsilon, margin - label));
    }

    @Override
    public double predict(float[] margins, int at, double threshold) {
        return margins[at];
    }

    @Override
    public LabelKind labels() {
        return LabelKind.NUMBERS;
    }
}
