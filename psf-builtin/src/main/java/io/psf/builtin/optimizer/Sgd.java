package io.psf.builtin.optimizer;

/** Stochastic gradient descent: w -= lr g. */
record Sgd(float lr) implements Kernel {
    Sgd {
        Checks.finite("lr", lr);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int n, int steps) {
        float rate = lr;
        for (int i = 0; i < n; i++) {
            w[i] -= rate * g[i];
        }
    }
}
