package io.psf.runtime.internal.call;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The layouts that a caller knows, and the calls that are split by them. Thread-safe; no method blocks. */
public interface Layouts {
    /** Says that a call has failed since its layouts were out of date: the next one has them confirmed first. */
    void doubt();

    /** Requests the layout of a tensor again. */
    CompletableFuture<TensorLayout> refresh(TensorId tensor);

    /**
     * Returns the servers that own the slices of a layout.
     *
     * @return by rank; a server that owns no slice may be represented by another one
     */
    CompletableFuture<List<Peer>> owners(TensorLayout layout);

    /**
     * Prepares a call, split by the layouts that are known at present. It has still to be sent.
     *
     * @param into a response whose arrays with layouts are filled; null to allocate them
     * @throws io.psf.api.PsException if the request contradicts the function or the tensor; the future may fail with it
     *     as well
     */
    <Q, R> CompletableFuture<Call<R>> prepare(Function<Q, R> function, Q request, @Nullable R into, CallLimits limits);
}
