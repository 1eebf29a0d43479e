package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * {@link Ftrl} whose n begins at an initial accumulator, as in TensorFlow and MindSpore. The state holds n - n0, so that
 * its initial value is zero.
 *
 * @param lr the learning rate, above 0
 * @param beta lowers the first rates, at least 0
 * @param l1 the strength of the L1 regularization, at least 0
 * @param l2 the strength of the L2 regularization, at least 0
 * @param n0 the initial accumulator, at least 0
 */
@PsOptimizer("psf.ftrl-from")
public record FtrlFrom(float lr, float beta, float l1, float l2, float n0) implements Kernel {
    /** Checks the arguments. */
    public FtrlFrom {
        OptimizerChecks.positive("lr", lr);
        OptimizerChecks.atLeastZero("beta", beta);
        OptimizerChecks.atLeastZero("l1", l1);
        OptimizerChecks.atLeastZero("l2", l2);
        OptimizerChecks.atLeastZero("n0", n0);
    }

    @Override
    public List<String> state() {
        return List.of("ftrl.z", "ftrl.n");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float perRate = 1 / lr;
        float first = beta;
        float bound = l1;
        float ridge = l2;
        float initial = n0;
        float[] z = state[0];
        float[] n = state[1];
        for (int i = begin; i < end; i++) {
            float before = (float) Math.sqrt(initial + n[i]);
            n[i] += g[i] * g[i];
            float root = (float) Math.sqrt(initial + n[i]);
            z[i] += g[i] - (root - before) * perRate * w[i];
            float within = Math.max(-bound, Math.min(bound, z[i]));
            float divisor = (first + root) * perRate + ridge;
            w[i] = (within - z[i]) / Math.max(divisor, Float.MIN_NORMAL);
        }
    }
}
