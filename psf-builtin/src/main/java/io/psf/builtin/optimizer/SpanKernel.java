package io.psf.builtin.optimizer;

/** A {@link Kernel} over the arrays that a {@link KernelProvider} has bound it to. */
public interface SpanKernel {
    /**
     * Steps the first of n elements, as many as it likes; the caller steps the others.
     *
     * @param at the first element of the weights and of the state
     * @param from the first element of the update
     * @param n how many elements
     * @param steps how often they have been stepped, this time included; 0 unless {@link Kernel#countsSteps}
     * @return how many it has stepped
     */
    int step(int at, int from, int n, int steps);
}
