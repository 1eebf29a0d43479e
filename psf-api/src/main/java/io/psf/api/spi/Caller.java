package io.psf.api.spi;

import io.psf.api.Pending;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a stub. A worker is a caller. Thread-safe. */
public interface Caller {
    /**
     * Sends a request to every shard or node that the request concerns.
     *
     * @param request the request, whose arrays are borrowed until the answer is awaited
     * @param into a response whose arrays with layouts are filled; null to allocate them
     * @throws io.psf.api.PsException if the request contradicts the function or the tensor
     */
    <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options);
}
