package io.psf.builtin.optimizer;

import io.psf.api.PsOptimizer;
import java.util.List;

/**
 * {@link Adam} with decoupled weight decay (Loshchilov and Hutter, ICLR 2019, algorithm 2): w -= lr decay w, then the
 * step of Adam. The decay is not divided by the root of v, unlike the decay of the option {@code weightDecay}.
 *
 * @param lr the learning rate
 * @param b1 the exponential decay rate of m, in [0, 1)
 * @param b2 the exponential decay rate of v, in [0, 1)
 * @param eps avoids division by zero, above 0
 * @param decay the weight decay, at least 0
 * @param adam the formula without decay
 */
public record AdamW(float lr, float b1, float b2, float eps, float decay, Adam adam) implements Kernel {
    /** Checks the arguments. */
    public AdamW {
        OptimizerChecks.atLeastZero("decay", decay);
    }

    /** Checks the arguments. */
    @PsOptimizer("psf.adamw")
    public AdamW(float lr, float b1, float b2, float eps, float decay) {
        this(lr, b1, b2, eps, decay, new Adam(lr, b1, b2, eps));
    }

    @Override
    public List<String> state() {
        return adam.state();
    }

    @Override
    public Counting counting() {
        return Counting.ROWS;
    }

    @Override
    public AdamW withLearningRate(float rate) {
        return new AdamW(rate, b1, b2, eps, decay, adam.withLearningRate(rate));
    }

    /** Returns the fraction of a weight that the decay of a step retains. */
    public float kept() {
        return (float) (1.0 - (double) lr * decay);
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float kept = kept();
        for (int i = begin; i < end; i++) {
            w[i] *= kept;
        }
        adam.step(w, g, state, begin, end, steps);
    }
}
