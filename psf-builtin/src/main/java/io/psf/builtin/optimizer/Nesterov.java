package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * Gradient descent with Nesterov's momentum, in the form that stores the look-ahead weights. Formula: t = -lr g; v = m
 * (v + t); w += v + t.
 *
 * @param lr the learning rate
 * @param m the momentum: the fraction of the velocity that a step retains, in [0, 1)
 */
@PsOptimizer("psf.nesterov")
public record Nesterov(float lr, float m) implements Kernel {
    /** Checks the arguments. */
    public Nesterov {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.fraction("m", m);
    }

    @Override
    public List<String> state() {
        return List.of("nesterov.v");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        float kept = m;
        float[] v = state[0];
        for (int i = begin; i < end; i++) {
            float t = -rate * g[i];
            v[i] = kept * (v[i] + t);
            w[i] += v[i] + t;
        }
    }
}
