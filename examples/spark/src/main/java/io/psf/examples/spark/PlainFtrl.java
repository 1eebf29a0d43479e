package io.psf.examples.spark;

/**
 * Logistic regression on one thread, in arrays: FTRL-proximal, row after row, with the learning rate and the
 * regularization of psf's estimator (McMahan et al., KDD 2013, algorithm 1). Not thread-safe.
 */
final class PlainFtrl {
    private static final float RATE = .1f;
    private static final float BETA = 1;

    /** For each key, and last the bias, z and n. */
    private final float[] state;

    private final int bias;
    private final float ridge;

    private PlainFtrl(int width, float ridge) {
        this.state = new float[2 * (width + 1)];
        this.bias = width;
        this.ridge = ridge;
    }

    /**
     * Trains on all rows, in their order.
     *
     * @param width the number of keys
     * @param strength of L2, for the mean loss
     */
    static PlainFtrl fit(PlainRows rows, int width, int passes, double strength) {
        PlainFtrl model = new PlainFtrl(width, (float) (strength * rows.labels().length));
        for (int pass = 0; pass < passes; pass++) {
            int begin = 0;
            for (int row = 0; row < rows.labels().length; row++) {
                int end = rows.ends()[row];
                float gradient = (float) (model.probability(rows.keys(), begin, end) - rows.labels()[row]);
                for (int i = begin; i < end; i++) {
                    model.step(rows.keys()[i], gradient, model.ridge);
                }
                model.step(model.bias, gradient, 0);
                begin = end;
            }
        }
        return model;
    }

    /** Returns the probability of the label 1 for each row. */
    double[] probabilities(PlainRows rows) {
        double[] found = new double[rows.labels().length];
        int begin = 0;
        for (int row = 0; row < found.length; row++) {
            found[row] = probability(rows.keys(), begin, rows.ends()[row]);
            begin = rows.ends()[row];
        }
        return found;
    }

    private double probability(int[] keys, int begin, int end) {
        float margin = weight(bias, 0);
        for (int i = begin; i < end; i++) {
            margin += weight(keys[i], ridge);
        }
        return 1 / (1 + Math.exp(-margin));
    }

    private float weight(int key, float l2) {
        return -state[2 * key] / ((BETA + (float) Math.sqrt(state[2 * key + 1])) / RATE + l2);
    }

    private void step(int key, float gradient, float l2) {
        float weight = weight(key, l2);
        float before = state[2 * key + 1];
        float after = before + gradient * gradient;
        state[2 * key] += gradient - ((float) Math.sqrt(after) - (float) Math.sqrt(before)) / RATE * weight;
        state[2 * key + 1] = after;
    }
}
