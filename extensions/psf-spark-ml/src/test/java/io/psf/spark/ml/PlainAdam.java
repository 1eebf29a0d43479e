package io.psf.spark.ml;

import java.util.function.IntToDoubleFunction;

/** Adam over an array, as its authors write it. */
final class PlainAdam {
    private static final double RATE = .003;

    private final float[] values;
    private final double[] mean;
    private final double[] square;
    private int steps;

    PlainAdam(float[] values) {
        this.values = values;
        this.mean = new double[values.length];
        this.square = new double[values.length];
    }

    void step(IntToDoubleFunction gradient) {
        steps++;
        for (int i = 0; i < values.length; i++) {
            double g = gradient.applyAsDouble(i);
            mean[i] = .9 * mean[i] + .1 * g;
            square[i] = .999 * square[i] + .001 * g * g;
            double corrected = mean[i] / (1 - Math.pow(.9, steps));
            values[i] -= (float) (RATE * corrected / (Math.sqrt(square[i] / (1 - Math.pow(.999, steps))) + 1e-8));
        }
    }
}
