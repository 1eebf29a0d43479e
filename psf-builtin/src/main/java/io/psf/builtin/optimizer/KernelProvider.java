package io.psf.builtin.optimizer;

import io.psf.api.array.FloatArray;
import org.jspecify.annotations.Nullable;

/**
 * Steps long spans where they lie, faster than through tiles on the heap. Found as a service by the class loader of
 * this interface; one that cannot be loaded or made is passed over, and the tiles do all.
 */
public interface KernelProvider {
    /**
     * A kernel over the arrays of one push, or null if it has none for the rule or the memory.
     *
     * @param kernel the rule
     * @param w [n] float32; weights, to be changed
     * @param g [m] float32; the update or gradient
     * @param state [states] of [n] float32, in the order of {@link Kernel#state}; to be changed
     */
    @Nullable
    SpanKernel bind(Kernel kernel, FloatArray w, FloatArray g, FloatArray[] state);

    /** What it computes with, for the log. */
    @Override
    String toString();
}
