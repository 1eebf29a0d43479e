package io.psf.api.spi;

import io.psf.api.Pending;
import org.jspecify.annotations.Nullable;

/** Makes calls: what a stub is given. A worker is one. Thread-safe. */
public interface Caller {
    /**
     * Sends a request to every place that it concerns.
     *
     * @param request its arrays are borrowed until the answer is awaited
     * @param into a response whose laid-out arrays are filled; null to have them allocated
     * @throws io.psf.api.PsException if the request contradicts the function or the tensor
     */
    <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options);
}
