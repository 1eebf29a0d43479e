package io.psf.builtin.optimizer;

import io.psf.api.array.FloatArray;
import org.jspecify.annotations.Nullable;

/**
 * Steps long spans in place, which is faster than through tiles on the heap. Loaded as a service by the class loader of
 * this interface. A provider that cannot be loaded or instantiated is ignored; then all steps go through tiles.
 * Thread-safe.
 */
public interface KernelProvider {
    /**
     * Runs the formula of a kernel until the JIT has compiled it. Called once for each class of kernels, before the
     * first {@link #bind} of such a kernel, on a thread of its own; blocks. Steps go through tiles meanwhile. Does
     * nothing by default.
     *
     * @return true if the kernel is to be bound, the default; false if the provider does not support it, or the tiles
     *     are faster
     */
    default boolean warmUp(Kernel kernel) {
        return true;
    }

    /**
     * Returns a kernel over the arrays of one push, or null if the provider does not support the rule or the memory. The
     * caller marks the rows that it lets the kernel step, so that a provider takes the memory by {@link
     * io.psf.api.array.ArrayMemory#offHeap}, which marks none.
     *
     * @param kernel the rule
     * @param w [n] float32; the weights, modified by the kernel's steps
     * @param g [m] float32; the update or gradient
     * @param state [states] of [n] float32, in the order of {@link Kernel#state}; modified by the kernel's steps
     */
    @Nullable
    SpanKernel bind(Kernel kernel, FloatArray w, FloatArray g, FloatArray[] state);

    /**
     * True if rows of a width that a push selects are to be stepped in place, one after the other. The kernels step such a
     * row as a whole. False by default: through tiles.
     */
    default boolean stepsRows(int width) {
        return false;
    }

    /** Returns a description of the provider, for the log. */
    @Override
    String toString();
}
