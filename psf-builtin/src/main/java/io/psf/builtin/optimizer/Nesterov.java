package io.psf.builtin.optimizer;

import java.util.List;

/**
 * Gradient descent with Nesterov's momentum, in the form that steps from where the velocity leads: t = -lr g;
 * v = m (v + t); w += v + t.
 *
 * @param lr the learning rate
 * @param m what is kept of the velocity, in [0, 1)
 */
record Nesterov(float lr, float m) implements Kernel {
    Nesterov {
        Checks.finite("lr", lr);
        Checks.fraction("m", m);
    }

    @Override
    public List<String> state() {
        return List.of("nesterov.v");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int n, int steps) {
        float rate = lr;
        float kept = m;
        float[] v = state[0];
        for (int i = 0; i < n; i++) {
            float t = -rate * g[i];
            v[i] = kept * (v[i] + t);
            w[i] += v[i] + t;
        }
    }
}
