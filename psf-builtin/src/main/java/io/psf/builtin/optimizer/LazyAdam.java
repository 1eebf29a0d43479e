package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * {@link Adam} whose bias correction counts the steps of the tensor instead of the steps of each row: a push of some
 * rows changes only these rows and their state, as in TensorFlow's LazyAdam. A rarely pushed row is corrected less than
 * by {@link Adam}, so its first steps are shorter.
 *
 * @param lr the learning rate
 * @param b1 the exponential decay rate of m, in [0, 1)
 * @param b2 the exponential decay rate of v, in [0, 1)
 * @param eps avoids division by zero, above 0
 * @param adam the formula
 */
public record LazyAdam(float lr, float b1, float b2, float eps, Adam adam) implements Kernel {
    /** Checks the arguments. */
    @PsOptimizer("psf.lazy-adam")
    public LazyAdam(float lr, float b1, float b2, float eps) {
        this(lr, b1, b2, eps, new Adam(lr, b1, b2, eps));
    }

    @Override
    public List<String> state() {
        return adam.state();
    }

    @Override
    public Counting counting() {
        return Counting.TENSOR;
    }

    @Override
    public LazyAdam withLearningRate(float rate) {
        return new LazyAdam(rate, b1, b2, eps, adam.withLearningRate(rate));
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        adam.step(w, g, state, begin, end, steps);
    }
}
