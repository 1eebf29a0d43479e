package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;

/**
 * A linear model: one weight a key for each margin of the loss.
 *
 * @param ridge what the gradient of a weight has of the weight itself, for each entry
 */
record LinearKernel(Loss loss, float ridge) implements Kernel {
    @Serial
    private static final long serialVersionUID = 1;

    /** Returns the kernel of a model that was saved, which computes margins. */
    static LinearKernel ofMargins(int outputs) {
        return new LinearKernel(outputs == 1 ? BinaryLoss.LOGISTIC : new SoftmaxLoss(outputs), 0);
    }

    @Override
    public int width() {
        return loss.outputs();
    }

    /** Does nothing: weights begin with 0. */
    @Override
    public void complete(long[] keys, int n, float[] weights, boolean isScoring) {}

    @Override
    public void learn(Batch batch, float[] weights, float[] bias, float[] update, Sums sums) {
        int width = width();
        Arrays.fill(update, 0, batch.keys().length * width, 0);
        float[] margins = new float[width];
        float[] gradient = new float[width];
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            margins(batch, weights, begin, end, bias, margins, 0);
            float times = batch.importance()[row];
            sums.loss += times * loss.learn(margins, 0, batch.labels()[row], gradient);
            for (int output = 0; output < width; output++) {
                gradient[output] *= times;
                sums.bias[output] += gradient[output];
            }
            addGradients(batch, weights, begin, end, gradient, times * ridge, update);
            begin = end;
        }
    }

    private static void addGradients(
            Batch batch, float[] weights, int begin, int end, float[] gradient, float ownPart, float[] update) {
        int width = gradient.length;
        int[] slots = batch.slots();
        float[] values = batch.values();
        for (int i = begin; i < end; i++) {
            float value = values == null ? 1 : values[i];
            int at = slots[i] * width;
            for (int output = 0; output < width; output++) {
                update[at + output] += gradient[output] * value + ownPart * weights[at + output];
            }
        }
    }

    @Override
    public void margins(Batch batch, float[] weights, float[] bias, float[] margins) {
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            margins(batch, weights, begin, end, bias, margins, row * bias.length);
            begin = end;
        }
    }

    /** Sets the margins of a row, from {@code into} on. */
    private static void margins(
            Batch batch, float[] weights, int begin, int end, float[] bias, float[] margins, int into) {
        int width = bias.length;
        int[] slots = batch.slots();
        float[] values = batch.values();
        System.arraycopy(bias, 0, margins, into, width);
        for (int i = begin; i < end; i++) {
            float value = values == null ? 1 : values[i];
            int at = slots[i] * width;
            for (int output = 0; output < width; output++) {
                margins[into + output] += weights[at + output] * value;
            }
        }
    }
}
