package io.psf.builtin.optimizer;

import java.util.function.Function;

/**
 * The learning rate of an optimizer.
 *
 * @param base the argument {@code lr}
 * @param kernel the formula at that rate
 * @param create creates the formula at another rate from its arguments
 */
record Rate(float base, Kernel kernel, Function<Float, Kernel> create) {
    /**
     * Returns the formula at a rate.
     *
     * @throws IllegalArgumentException if the formula does not take the rate
     */
    Kernel at(float rate) {
        if (rate == base) {
            return kernel;
        }
        Kernel other = kernel.withLearningRate(rate);
        return other == null ? create.apply(rate) : other;
    }
}
