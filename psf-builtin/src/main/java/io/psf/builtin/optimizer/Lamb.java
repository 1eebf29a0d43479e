package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * LAMB (You et al., ICLR 2020, algorithm 2): r = m' / (sqrt v' + eps) + decay w, with m' and v' as in {@link Adam}; w
 * -= lr (|w| / |r|) r. The Euclidean norms are over the whole tensor, which is a layer; over the pushed rows in a push
 * of some rows. A norm of 0 makes the ratio 1.
 *
 * @param lr the learning rate
 * @param b1 the exponential decay rate of m, in [0, 1)
 * @param b2 the exponential decay rate of v, in [0, 1)
 * @param eps avoids division by zero, above 0
 * @param decay the weight decay, at least 0
 * @param correction the cached bias corrections
 */
public record Lamb(float lr, float b1, float b2, float eps, float decay, Correction correction)
        implements TensorKernel {
    /** Checks the arguments. */
    public Lamb {
        OptimizerChecks.adam(lr, b1, b2, eps);
        OptimizerChecks.atLeastZero("decay", decay);
    }

    /** Checks the arguments. */
    @PsOptimizer("psf.lamb")
    public Lamb(float lr, float b1, float b2, float eps, float decay) {
        this(lr, b1, b2, eps, decay, new Correction(b1, b2));
    }

    @Override
    public List<String> state() {
        return List.of("adam.m", "adam.v");
    }

    @Override
    public Counting counting() {
        return Counting.ROWS;
    }

    @Override
    public Lamb withLearningRate(float rate) {
        return new Lamb(rate, b1, b2, eps, decay, correction);
    }

    @Override
    public int sums() {
        return 2;
    }

    @Override
    public void sum(float[] w, float[] g, float[][] state, int begin, int end, int steps, double[] sums) {
        float mean = correction.rate(1, steps);
        float root = correction.root(steps);
        float newM = (float) (1.0 - b1);
        float newV = (float) (1.0 - b2);
        double ofW = 0;
        double ofR = 0;
        for (int i = begin; i < end; i++) {
            float m = b1 * state[0][i] + newM * g[i];
            float v = b2 * state[1][i] + newV * g[i] * g[i];
            float r = mean * m / ((float) Math.sqrt(v) * root + eps) + decay * w[i];
            ofW += (double) w[i] * w[i];
            ofR += (double) r * r;
        }
        sums[0] += ofW;
        sums[1] += ofR;
    }

    @Override
    public Kernel with(double[] totals) {
        double ratio = totals[0] > 0 && totals[1] > 0 ? Math.sqrt(totals[0] / totals[1]) : 1;
        return new Scaled(this, (float) (lr * ratio));
    }

    /**
     * The formula for known norms.
     *
     * @param lamb the formula
     * @param rate the learning rate, multiplied by the ratio of the norms
     */
    public record Scaled(Lamb lamb, float rate) implements Kernel {
        @Override
        public List<String> state() {
            return lamb.state();
        }

        @Override
        public Counting counting() {
            return lamb.counting();
        }

        @Override
        public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
            float mean = lamb.correction.rate(1, steps);
            float root = lamb.correction.root(steps);
            float keptM = lamb.b1;
            float keptV = lamb.b2;
            float newM = (float) (1.0 - lamb.b1);
            float newV = (float) (1.0 - lamb.b2);
            float small = lamb.eps;
            float decay = lamb.decay;
            float scale = rate;
            float[] m = state[0];
            float[] v = state[1];
            for (int i = begin; i < end; i++) {
                m[i] = keptM * m[i] + newM * g[i];
                v[i] = keptV * v[i] + newV * g[i] * g[i];
                w[i] -= scale * (mean * m[i] / ((float) Math.sqrt(v[i]) * root + small) + decay * w[i]);
            }
        }
    }
}
