package io.psf.runtime.internal.cluster;

import io.psf.api.DeclaredTensor;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of tensors, as a node knows them from the cluster's state. It asks the scheduler about a tensor that is
 * not there, and about the state after a call failed for an outdated layout. Thread-safe.
 */
public final class KnownTensors {
    private final ClusterLink link;
    private final ClusterView view;
    private final Duration limit;
    /** True if a call has failed since its layout was out of date, and the scheduler has not been asked since. */
    private volatile boolean isDoubted;

    /**
     * Creates the node's view of the layouts.
     *
     * @param limit how long the scheduler may take to answer
     */
    public KnownTensors(ClusterLink link, Duration limit) {
        this.link = link;
        this.view = link.view();
        this.limit = limit;
    }

    /** Returns a tensor's layout if it is known; else null. */
    public @Nullable TensorLayout known(TensorId tensor) {
        DeclaredTensor found = isDoubted ? null : view.state().tensor(tensor);
        return found == null ? null : found.layout();
    }

    /**
     * Returns a tensor's layout. Blocks until the scheduler answers, unless the layout is known.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if the tensor has not been declared
     */
    public TensorLayout require(TensorId tensor) {
        TensorLayout known = known(tensor);
        if (known != null) {
            return known;
        }
        try {
            return refresh(tensor).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PsException cause ? cause : e;
        }
    }

    /**
     * Returns the layouts of those tensors that have been declared, in their order. Blocks until the scheduler answers.
     */
    public Map<TensorId, TensorLayout> declared(List<TensorId> tensors) {
        ClusterState now = link.latest(limit);
        Map<TensorId, TensorLayout> found = new LinkedHashMap<>();
        for (TensorId tensor : tensors) {
            DeclaredTensor there = now.tensor(tensor);
            if (there != null) {
                found.put(tensor, there.layout());
            }
        }
        return found;
    }

    /** Returns a tensor's layout. Does not block. */
    public CompletableFuture<TensorLayout> find(TensorId tensor) {
        TensorLayout known = known(tensor);
        return known != null ? CompletableFuture.completedFuture(known) : refresh(tensor);
    }

    /** Returns a tensor's layout, as the scheduler has it. Does not block. */
    public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
        isDoubted = false;
        return link.refresh(limit)
                .thenApply(now -> ClusterView.require(now, tensor).layout());
    }

    /** Makes the next use of a layout ask the scheduler first. */
    public void doubt() {
        isDoubted = true;
    }
}
