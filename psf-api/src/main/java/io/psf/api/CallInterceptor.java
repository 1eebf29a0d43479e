package io.psf.api;

import java.util.function.Supplier;

/** Wraps the calls of a worker, for metrics, tracing and fault injection. Runs on the calling thread. */
public interface CallInterceptor {
    /**
     * Continues a call, or returns an answer in its place. If this method throws anything but a {@link PsException}, or
     * returns null, the caller gets a {@link PsException} with {@code CALLER_FAILED}, and calls that were already sent
     * are cancelled.
     *
     * @param call the call's function, tensor and request
     * @param next runs the next interceptor, or sends the call if this interceptor is the last
     */
    <R> Pending<R> call(Intercepted call, Supplier<Pending<R>> next);
}
