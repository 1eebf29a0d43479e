package io.psf.runtime.cluster;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The layouts of tensors that a node has received from the scheduler. They may be out of date. Thread-safe. */
public final class LayoutCache {
    private final ClusterLink link;
    private final Duration limit;
    private final Executor requests;
    private final Map<TensorId, CompletableFuture<TensorLayout>> layouts = new ConcurrentHashMap<>();

    /**
     * Creates an empty cache.
     *
     * @param limit how long the scheduler may take to answer
     * @param requests runs requests to the scheduler, which block
     */
    public LayoutCache(ClusterLink link, Duration limit, Executor requests) {
        this.link = link;
        this.limit = limit;
        this.requests = requests;
    }

    /** Returns a tensor's layout if it has been received; else null. */
    public @Nullable TensorLayout known(TensorId tensor) {
        CompletableFuture<TensorLayout> layout = layouts.get(tensor);
        return layout != null && layout.isDone() && !layout.isCompletedExceptionally() ? layout.join() : null;
    }

    /**
     * Returns a tensor's layout. Blocks until the scheduler answers, unless the layout is known.
     *
     * @throws io.psf.api.PsException with {@code UNKNOWN_TENSOR} if the tensor has not been declared
     */
    public TensorLayout require(TensorId tensor) {
        TensorLayout known = known(tensor);
        if (known == null) {
            known = link.layout(tensor, limit);
            put(known);
        }
        return known;
    }

    /** Returns a tensor's layout. Does not block. */
    public CompletableFuture<TensorLayout> find(TensorId tensor) {
        return layouts.compute(
                tensor,
                (id, known) -> known != null && !known.isCompletedExceptionally()
                        ? known
                        : CompletableFuture.supplyAsync(() -> link.layout(tensor, limit), requests));
    }

    /** Requests a tensor's layout from the scheduler again. Does not block. */
    public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
        forget(tensor);
        return find(tensor);
    }

    /** Sets a tensor's layout. */
    public void put(TensorLayout layout) {
        layouts.put(layout.info().id(), CompletableFuture.completedFuture(layout));
    }

    /** Removes a tensor's layout. */
    public void forget(TensorId tensor) {
        layouts.remove(tensor);
    }
}
