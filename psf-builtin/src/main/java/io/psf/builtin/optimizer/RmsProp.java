package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * RMSProp (Tieleman and Hinton, Coursera lecture 6.5, 2012): a = rho a + (1 - rho) g^2; w -= lr g / (sqrt a + eps).
 *
 * @param lr the learning rate
 * @param rho the exponential decay rate of a, in [0, 1)
 * @param eps avoids division by zero, above 0
 */
@PsOptimizer("psf.rmsprop")
public record RmsProp(float lr, float rho, float eps) implements Kernel {
    /** Checks the arguments. */
    public RmsProp {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.fraction("rho", rho);
        OptimizerChecks.positive("eps", eps);
    }

    @Override
    public List<String> state() {
        return List.of("rmsprop.a");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        float kept = rho;
        float fresh = (float) (1.0 - rho);
        float small = eps;
        float[] a = state[0];
        for (int i = begin; i < end; i++) {
            a[i] = kept * a[i] + fresh * g[i] * g[i];
            w[i] -= rate * g[i] / ((float) Math.sqrt(a[i]) + small);
        }
    }
}
