package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * {@link Adam} in which a push of some rows steps every row of the tensor, as a dense push does whose other gradients
 * are 0: the moments of all rows decay, and all weights change. These are the sparse gradients of MindSpore's {@code
 * nn.Adam} with {@code use_lazy=False}, and of TensorFlow's {@code AdamOptimizer}. The steps are counted for the
 * tensor.
 *
 * @param lr the learning rate
 * @param b1 the exponential decay rate of m, in [0, 1)
 * @param b2 the exponential decay rate of v, in [0, 1)
 * @param eps avoids division by zero, above 0
 * @param adam the formula
 */
public record AllRowsAdam(float lr, float b1, float b2, float eps, Adam adam) implements Kernel {
    /** Checks the arguments. */
    @PsOptimizer("psf.all-rows-adam")
    public AllRowsAdam(float lr, float b1, float b2, float eps) {
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
    public boolean stepsAllRows() {
        return true;
    }

    @Override
    public AllRowsAdam withLearningRate(float rate) {
        return new AllRowsAdam(rate, b1, b2, eps, adam.withLearningRate(rate));
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        adam.step(w, g, state, begin, end, steps);
    }
}
