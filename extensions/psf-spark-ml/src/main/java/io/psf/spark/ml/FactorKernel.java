package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;

/**
 * A factorization machine of degree 2 (Rendle, ICDM 2010), in time linear in the factors. A row has the weight of the
 * linear part, and then the factors. The servers store the factors less their initial values, which are a function of
 * seed and key: a key that no row of training had is a row of zeros, and has no part in a prediction.
 *
 * @param factors the number of factors
 * @param fitLinear false if the linear part is 0
 * @param deviation the standard deviation of the initial factors, which are uniform
 * @param ridge what the gradient of a weight has of the weight itself, for each entry
 */
record FactorKernel(ScalarLoss loss, int factors, boolean fitLinear, float deviation, float ridge, long seed)
        implements Kernel {
    @Serial
    private static final long serialVersionUID = 1;

    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final float UNIT = 0x1p-24f;

    /** Returns the kernel of a model that was saved, which computes margins. */
    static FactorKernel ofMargins(int factors) {
        return new FactorKernel(BinaryLoss.LOGISTIC, factors, true, 0, 0, 0);
    }

    @Override
    public int width() {
        return 1 + factors;
    }

    @Override
    public void complete(long[] keys, int n, float[] weights, boolean isScoring) {
        int width = width();
        float scale = deviation * (float) Math.sqrt(12) * UNIT;
        float middle = scale / UNIT / 2;
        for (int row = 0; row < n; row++) {
            int begin = row * width;
            int end = begin + width;
            if (isScoring && Fetched.isZero(weights, begin, width)) {
                continue;
            }
            long state = Mix.hash(seed, keys[row]);
            for (int i = begin + 1; i < end; i++) {
                state += STEP;
                weights[i] += (((state ^ (state >>> 29)) * STEP) >>> 40) * scale - middle;
            }
        }
    }

    @Override
    public void learn(Batch batch, float[] weights, float[] bias, float[] update, Sums sums) {
        int width = width();
        Arrays.fill(update, 0, batch.keys().length * width, 0);
        float[] sum = new float[width];
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            float margin = bias[0] + margin(batch, weights, begin, end, sum);
            float times = batch.importance()[row];
            sums.loss += times * loss.loss(margin, batch.labels()[row]);
            float gradient = times * (float) loss.gradient(margin, batch.labels()[row]);
            sums.bias[0] += gradient;
            addGradients(batch, weights, begin, end, sum, gradient, times * ridge, update);
            begin = end;
        }
    }

    /** Adds the gradients of a row, after a call of {@link #margin} that has set {@code sum}. */
    void addGradients(
            Batch batch,
            float[] weights,
            int begin,
            int end,
            float[] sum,
            float gradient,
            float ownPart,
            float[] update) {
        int width = sum.length;
        int[] slots = batch.slots();
        float[] values = batch.values();
        for (int i = begin; i < end; i++) {
            float value = values == null ? 1 : values[i];
            int at = slots[i] * width;
            float scaled = gradient * value;
            float own = ownPart - scaled * value;
            if (fitLinear) {
                update[at] += scaled + ownPart * weights[at];
            }
            for (int f = 1; f < width; f++) {
                update[at + f] += scaled * sum[f] + own * weights[at + f];
            }
        }
    }

    /** Returns a row's margin without the bias; {@code sum} receives the sums of the factors. */
    static float margin(Batch batch, float[] weights, int begin, int end, float[] sum) {
        int width = sum.length;
        int[] slots = batch.slots();
        float[] values = batch.values();
        Arrays.fill(sum, 0);
        float squares = 0;
        for (int i = begin; i < end; i++) {
            float value = values == null ? 1 : values[i];
            int at = slots[i] * width;
            sum[0] += weights[at] * value;
            for (int f = 1; f < width; f++) {
                float part = weights[at + f] * value;
                sum[f] += part;
                squares += part * part;
            }
        }
        float pairs = 0;
        for (int f = 1; f < width; f++) {
            pairs += sum[f] * sum[f];
        }
        return sum[0] + (pairs - squares) / 2;
    }

    @Override
    public void margins(Batch batch, float[] weights, float[] bias, float[] margins) {
        float[] sum = new float[width()];
        int begin = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int end = batch.ends()[row];
            margins[row] = bias[0] + margin(batch, weights, begin, end, sum);
            begin = end;
        }
    }
}
