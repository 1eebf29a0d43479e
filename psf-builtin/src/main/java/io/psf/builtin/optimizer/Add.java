package io.psf.builtin.optimizer;

/** w += scale g. */
record Add(float scale) implements Kernel {
    Add {
        Checks.finite("scale", scale);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int n, int steps) {
        float a = scale;
        for (int i = 0; i < n; i++) {
            w[i] += a * g[i];
        }
    }
}
