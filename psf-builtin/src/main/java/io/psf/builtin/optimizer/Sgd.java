package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;

/** Stochastic gradient descent: w -= lr g. */
@PsOptimizer("psf.sgd")
public record Sgd(float lr) implements Kernel {
    /** Checks the arguments. */
    public Sgd {
        OptimizerChecks.atLeastZero("lr", lr);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        for (int i = begin; i < end; i++) {
            w[i] -= rate * g[i];
        }
    }
}
