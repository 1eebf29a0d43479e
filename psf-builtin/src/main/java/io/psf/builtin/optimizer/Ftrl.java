package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * FTRL-proximal with per-coordinate rates (McMahan et al., KDD 2013, algorithm 1): s = (sqrt(n + g^2) - sqrt n) / lr; z
 * += g - s w; n += g^2; w = 0 if |z| &lt;= l1, otherwise -(z - sign(z) l1) / ((beta + sqrt n) / lr + l2). Weights that
 * stay within l1 are exactly 0. A weight is a function of z and n, so initial values other than 0 have no lasting
 * meaning. In the paper n begins at 0, in TensorFlow and MindSpore at an initial accumulator n0. The state holds n -
 * n0, so that its initial value is zero.
 *
 * @param lr the learning rate, alpha in the paper, above 0
 * @param beta lowers the first rates, at least 0
 * @param l1 the strength of the L1 regularization, at least 0
 * @param l2 the strength of the L2 regularization, at least 0
 * @param n0 the initial accumulator, at least 0
 */
@PsOptimizer("psf.ftrl")
public record Ftrl(float lr, float beta, float l1, float l2, float n0) implements Kernel {
    /** Checks the arguments. */
    public Ftrl {
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
            float within = Math.max(-bound, Math.min(bound, z[i])); // without a branch, so that the JIT vectorizes
            float divisor = (first + root) * perRate + ridge; // 0 only if all gradients were
            w[i] = (within - z[i]) / Math.max(divisor, Float.MIN_NORMAL);
        }
    }
}
