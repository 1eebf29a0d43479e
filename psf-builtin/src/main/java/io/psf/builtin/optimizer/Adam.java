package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * Adam (Kingma and Ba, ICLR 2015, algorithm 1): m and v are exponentially decaying means of g and g^2. m' and v' are m
 * and v, corrected for their initial value of zero by the number of steps; w -= lr m' / (sqrt v' + eps). Each row has
 * its own number of steps, so that a rarely pushed row is corrected by the few steps that it has taken.
 *
 * @param lr the learning rate
 * @param b1 the exponential decay rate of m: the fraction of m that a step retains, in [0, 1)
 * @param b2 the exponential decay rate of v: the fraction of v that a step retains, in [0, 1)
 * @param eps avoids division by zero, above 0
 * @param correction the cached bias corrections
 */
public record Adam(float lr, float b1, float b2, float eps, Correction correction) implements Kernel {
    /** Checks the arguments. */
    public Adam {
        OptimizerChecks.adam(lr, b1, b2, eps);
    }

    /** Checks the arguments. */
    @PsOptimizer("psf.adam")
    public Adam(float lr, float b1, float b2, float eps) {
        this(lr, b1, b2, eps, new Correction(b1, b2));
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
    public Adam withLearningRate(float rate) {
        return new Adam(rate, b1, b2, eps, correction);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = correction.rate(lr, steps);
        float root = correction.root(steps);
        float keptM = b1;
        float keptV = b2;
        float newM = (float) (1.0 - b1);
        float newV = (float) (1.0 - b2);
        float small = eps;
        float[] m = state[0];
        float[] v = state[1];
        for (int i = begin; i < end; i++) {
            m[i] = keptM * m[i] + newM * g[i];
            v[i] = keptV * v[i] + newV * g[i] * g[i];
            w[i] -= rate * m[i] / ((float) Math.sqrt(v[i]) * root + small);
        }
    }
}
