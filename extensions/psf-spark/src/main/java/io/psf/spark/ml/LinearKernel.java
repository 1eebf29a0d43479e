package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;

/**
 * Logistic regression: one weight a key.
 *
 * @param ridge what the gradient of a weight has of the weight itself, for each entry
 */
record LinearKernel(float ridge) implements Kernel {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public int width() {
        return 1;
    }

    @Override
    public Loss loss() {
        return Loss.LOGISTIC;
    }

    /** Does nothing: weights begin with 0. */
    @Override
    public void complete(long[] keys, int n, float[] weights, boolean isScoring) {}

    @Override
    public void learn(Batch batch, float[] weights, float bias, float[] update, Sums sums) {
        Arrays.fill(update, 0, batch.keys().length, 0);
        int[] slots = batch.slots();
        int[] ends = batch.ends();
        float[] labels = batch.labels();
        float[] importance = batch.importance();
        float[] values = batch.values();
        double loss = 0;
        double biasGradient = 0;
        int begin = 0;
        for (int row = 0; row < labels.length; row++) {
            int end = ends[row];
            float margin =
                    bias + (values == null ? sum(weights, slots, begin, end) : dot(weights, slots, values, begin, end));
            float times = importance[row];
            loss += times * Loss.LOGISTIC.loss(margin, labels[row]);
            float gradient = times * (float) Loss.LOGISTIC.gradient(margin, labels[row]);
            float ownPart = times * ridge;
            biasGradient += gradient;
            for (int i = begin; i < end; i++) {
                int slot = slots[i];
                update[slot] += (values == null ? gradient : gradient * values[i]) + ownPart * weights[slot];
            }
            begin = end;
        }
        sums.loss += loss;
        sums.bias += biasGradient;
    }

    @Override
    public void margins(Batch batch, float[] weights, float bias, float[] margins) {
        int begin = 0;
        float[] values = batch.values();
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            margins[row] = bias
                    + (values == null
                            ? sum(weights, batch.slots(), begin, end)
                            : dot(weights, batch.slots(), values, begin, end));
            begin = end;
        }
    }

    private static float sum(float[] weights, int[] slots, int begin, int end) {
        float sum = 0;
        for (int i = begin; i < end; i++) {
            sum += weights[slots[i]];
        }
        return sum;
    }

    private static float dot(float[] weights, int[] slots, float[] values, int begin, int end) {
        float sum = 0;
        for (int i = begin; i < end; i++) {
            sum += weights[slots[i]] * values[i];
        }
        return sum;
    }
}
