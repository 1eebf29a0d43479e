package io.psf.examples.demo;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import java.util.List;

/** A table of the model, as a step of the training uses it. */
sealed interface ModelTable permits ServerTable, CachedTable {
    /** Returns the table on the servers. */
    TensorId tensor();

    /**
     * Copies rows.
     *
     * @param keys [n] int64
     * @param into [n, width] float32, filled once the calls have ended
     * @param calls the calls in flight are added
     */
    void pull(long[] keys, float[] into, List<Pending<?>> calls);

    /** Requests the rows of the next step, if there is a cache that they may be received into. */
    void prefetch(long[] keys);

    /** Pushes the gradients of rows, [n, width] float32. Adds the calls in flight. */
    void push(long[] keys, float[] gradients, List<Pending<?>> calls);

    /** Blocks until the servers have all updates. */
    void flush();
}
