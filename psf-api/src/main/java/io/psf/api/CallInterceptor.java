package io.psf.api;

import java.util.function.Supplier;

/** Stands around calls of a worker: for metrics, tracing, faults. Called by the thread that calls. */
public interface CallInterceptor {
    /**
     * Goes on with a call, or answers in its place. What it throws, unless it is a {@link PsException}, and null in the
     * place of an answer come to the caller as a {@link PsException} with {@code CALLER_FAILED}; what was sent is given
     * up then.
     *
     * @param call what is called
     * @param next sends the call, or goes on to the next interceptor
     */
    <R> Pending<R> call(Intercepted call, Supplier<Pending<R>> next);
}
