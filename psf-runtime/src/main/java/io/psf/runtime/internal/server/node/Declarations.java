package io.psf.runtime.internal.server.node;

import io.psf.api.DeclaredTensor;
import io.psf.api.TensorId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where a node learns what tensors were declared as. Thread-safe. */
@FunctionalInterface
public interface Declarations {
    /**
     * Returns tensors, once this node knows the cluster's state of an epoch.
     *
     * @return in the order of the names; fails with {@code UNKNOWN_TENSOR} if one of them is not declared
     */
    CompletableFuture<List<DeclaredTensor>> find(List<TensorId> tensors, long epoch);
}
