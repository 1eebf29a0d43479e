package io.psf.api.spi;

import io.psf.api.Caller;
import io.psf.api.Pending;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of stubs. Every {@link Caller} implements this interface. Thread-safe unless the implementation says
 * otherwise.
 */
public interface FunctionCaller extends Caller {
    /**
     * Returns a caller as the caller of a new stub.
     *
     * @throws IllegalArgumentException if it does not implement this interface
     */
    static FunctionCaller of(Caller caller) {
        if (caller instanceof FunctionCaller known) {
            return known;
        }
        throw new IllegalArgumentException("caller: " + caller.getClass().getName()
                + " (expected: a worker, a chain, or the caller of a shard or a node)");
    }

    /**
     * Sends a request to every shard or node that the request concerns.
     *
     * @param request the request, whose arrays are borrowed until the answer is awaited
     * @param into a response whose arrays with layouts are filled; null to allocate them
     * @throws io.psf.api.PsException if the request contradicts the function or the tensor
     */
    <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options);
}
