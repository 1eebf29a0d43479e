package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;

/** w = g. */
@PsOptimizer("psf.assign")
public record Assign() implements Kernel {
    @Override
    public boolean replaces() {
        return true;
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        System.arraycopy(g, begin, w, begin, end - begin);
    }
}
