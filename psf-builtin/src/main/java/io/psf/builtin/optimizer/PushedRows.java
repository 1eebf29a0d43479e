package io.psf.builtin.optimizer;

import org.jspecify.annotations.Nullable;

/** The rows of one push, in the memory of its shard, and their update. Used on the shard's lane. */
public interface PushedRows {
    /**
     * Returns this shard's part of a formula's sums. Creates rows that a growing table does not have yet; changes
     * nothing else.
     *
     * @param gradients what happens to the gradients before the formula; null for nothing
     * @param steps the number of steps of the tensor, this one included; 0 unless the formula needs it
     */
    double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int steps);

    /**
     * Steps the rows by a formula; steps of duplicate keys keep their order.
     *
     * @param gradients what happens to the gradients before the formula; null for nothing
     * @param steps the number of steps of the tensor, this one included; 0 unless the formula needs it
     */
    void step(Kernel kernel, @Nullable Gradients gradients, int steps);
}
