package io.psf.api;

import java.util.function.Supplier;

/** Stands around calls of a worker: for metrics, tracing, faults. Called by the thread that calls. */
public interface CallInterceptor {
    /**
     * Goes on with a call, or answers in its place.
     *
     * @param call what is called
     * @param next sends the call, or goes on to the next interceptor
     */
    <R> Pending<R> call(Intercepted call, Supplier<Pending<R>> next);
}
