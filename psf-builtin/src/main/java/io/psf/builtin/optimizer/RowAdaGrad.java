package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * AdaGrad by row, for embedding tables: a += mean of the row's g^2; w -= lr g / (sqrt a + eps), with one a per row. The
 * state takes 4 bytes a row, where {@link AdaGrad} has 4 bytes an element (Mudigere et al., ISCA 2022, section 4.1.4).
 *
 * @param lr the learning rate
 * @param a0 the initial accumulator, at least 0
 * @param eps avoids division by zero, above 0
 */
@PsOptimizer("psf.row-adagrad")
public record RowAdaGrad(float lr, float a0, float eps) implements RowKernel {
    /** Checks the arguments. */
    public RowAdaGrad {
        OptimizerChecks.atLeastZero("lr", lr);
        OptimizerChecks.atLeastZero("a0", a0);
        OptimizerChecks.positive("eps", eps);
    }

    @Override
    public List<String> rowState() {
        return List.of("rowadagrad.a");
    }

    @Override
    public void stepRow(float[] w, float[] g, float[][] state, int begin, int end, float[] rowState, int steps) {
        float sum = 0;
        for (int i = begin; i < end; i++) {
            sum += g[i] * g[i];
        }
        rowState[0] += sum / (end - begin);
        float rate = lr / ((float) Math.sqrt(a0 + rowState[0]) + eps);
        for (int i = begin; i < end; i++) {
            w[i] -= rate * g[i];
        }
    }
}
