package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;

/** w += scale g. */
@PsOptimizer("psf.add")
public record Add(float scale) implements Kernel {
    /** Checks the arguments. */
    public Add {
        OptimizerChecks.finite("scale", scale);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float a = scale;
        for (int i = begin; i < end; i++) {
            w[i] += a * g[i];
        }
    }
}
