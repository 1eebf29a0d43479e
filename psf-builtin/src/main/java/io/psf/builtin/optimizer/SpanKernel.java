package io.psf.builtin.optimizer;

/** A {@link Kernel} that a {@link KernelProvider} has bound to the arrays of one push. */
public interface SpanKernel {
    /**
     * Steps the first of n elements. The kernel chooses how many; the caller steps the rest.
     *
     * @param at the index of the first element in the weights and in the state
     * @param from the index of the first element in the update
     * @param n the number of elements
     * @param steps the number of steps, this one included, as {@link Kernel#counting} says
     * @return the number of elements that were stepped
     */
    int step(int at, int from, int n, int steps);
}
