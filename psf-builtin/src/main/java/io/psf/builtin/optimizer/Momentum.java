package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * Gradient descent with momentum (Polyak, 1964): v = m v - lr g; w += v.
 *
 * @param lr the learning rate
 * @param m the momentum: the fraction of the velocity that a step retains, in [0, 1)
 */
@PsOptimizer("psf.momentum")
public record Momentum(float lr, float m) implements Kernel {
    /** Checks the arguments. */
    public Momentum {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.fraction("m", m);
    }

    @Override
    public List<String> state() {
        return List.of("momentum.v");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        float kept = m;
        float[] v = state[0];
        for (int i = begin; i < end; i++) {
            v[i] = kept * v[i] - rate * g[i];
            w[i] += v[i];
        }
    }
}
