package io.psf.api;

import org.jspecify.annotations.Nullable;

/**
 * A caller that also declares tensors: a worker of a cluster, or the test kit's cluster. Thread-safe unless the
 * implementation says otherwise.
 */
public interface TensorCaller extends Caller {
    /**
     * Registers a tensor with the cluster and places its slices. The same declaration again returns the existing
     * placement.
     *
     * @param slices the number of slices; 0 for one per server; -1 for pieces that fit in a core's cache, at least one
     *     per server
     * @param beside the tensor whose slices, servers and lanes this one shares; null for its own
     * @param declaration everything else that two declarations must agree on, as text
     * @throws PsException with {@code ALREADY_EXISTS}, naming both declarations, if a different declaration exists;
     *     with {@code UNKNOWN_TENSOR} if the tensor {@code beside} has not been declared
     */
    TensorLayout declare(TensorInfo info, int slices, @Nullable TensorId beside, String declaration);

    /**
     * Returns the placement of a tensor's slices. The layout may be cached; if it is not, this method blocks until the
     * cluster answers.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if the tensor has not been declared
     */
    TensorLayout layout(TensorId tensor);

    /** Frees a tensor's name for another declaration. */
    void forget(TensorId tensor);
}
