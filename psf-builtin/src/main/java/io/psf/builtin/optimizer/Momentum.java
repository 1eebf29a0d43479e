package io.psf.builtin.optimizer;

import java.util.List;

/**
 * Gradient descent with momentum (Polyak, 1964): v = m v - lr g; w += v.
 *
 * @param lr the learning rate
 * @param m what is kept of the velocity, in [0, 1)
 */
record Momentum(float lr, float m) implements Kernel {
    Momentum {
        Checks.finite("lr", lr);
        Checks.fraction("m", m);
    }

    @Override
    public List<String> state() {
        return List.of("momentum.v");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int n, int steps) {
        float rate = lr;
        float kept = m;
        float[] v = state[0];
        for (int i = 0; i < n; i++) {
            v[i] = kept * v[i] - rate * g[i];
            w[i] += v[i];
        }
    }
}
