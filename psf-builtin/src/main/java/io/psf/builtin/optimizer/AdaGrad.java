package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * AdaGrad (Duchi, Hazan, Singer, JMLR 12, 2011, figure 1): a += g^2; w -= lr g / (sqrt a + eps). The state holds a -
 * a0, so that its initial value is zero.
 *
 * @param lr the learning rate
 * @param a0 the initial accumulator, at least 0
 * @param eps avoids division by zero, above 0
 */
@PsOptimizer("psf.adagrad")
public record AdaGrad(float lr, float a0, float eps) implements Kernel {
    /** Checks the arguments. */
    public AdaGrad {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.atLeastZero("a0", a0);
        OptimizerChecks.positive("eps", eps);
    }

    @Override
    public List<String> state() {
        return List.of("adagrad.a");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float rate = lr;
        float first = a0;
        float small = eps;
        float[] a = state[0];
        for (int i = begin; i < end; i++) {
            a[i] += g[i] * g[i];
            w[i] -= rate * g[i] / ((float) Math.sqrt(first + a[i]) + small);
        }
    }
}
