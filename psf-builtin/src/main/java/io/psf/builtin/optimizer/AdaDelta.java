package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * AdaDelta (Zeiler, arXiv 1212.5701, algorithm 1): a = rho a + (1 - rho) g^2; d = sqrt((x + eps) / (a + eps)) g; x =
 * rho x + (1 - rho) d^2; w -= lr d. The paper has lr = 1.
 *
 * @param lr the learning rate
 * @param rho the exponential decay rate of a and x, in [0, 1)
 * @param eps avoids division by zero and starts the progress, above 0
 */
@PsOptimizer("psf.adadelta")
public record AdaDelta(float lr, float rho, float eps) implements Kernel {
    /** Checks the arguments. */
    public AdaDelta {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.fraction("rho", rho);
        OptimizerChecks.positive("eps", eps);
    }

    @Override
    public List<String> state() {
        return List.of("adadelta.a", "adadelta.x");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        float kept = rho;
        float fresh = (float) (1.0 - rho);
        float small = eps;
        float[] a = state[0];
        float[] x = state[1];
        for (int i = begin; i < end; i++) {
            a[i] = kept * a[i] + fresh * g[i] * g[i];
            float d = (float) Math.sqrt((x[i] + small) / (a[i] + small)) * g[i];
            x[i] = kept * x[i] + fresh * d * d;
            w[i] -= rate * d;
        }
    }
}
