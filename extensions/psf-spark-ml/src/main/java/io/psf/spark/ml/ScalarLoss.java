package io.psf.spark.ml;

/** The loss of one margin. */
interface ScalarLoss extends Loss {
    double loss(double margin, float label);

    /** Returns the derivative of the loss by the margin. */
    double gradient(double margin, float label);

    @Override
    default int outputs() {
        return 1;
    }

    @Override
    default double learn(float[] margins, int at, float label, float[] gradient) {
        gradient[0] = (float) gradient(margins[at], label);
        return loss(margins[at], label);
    }
}
