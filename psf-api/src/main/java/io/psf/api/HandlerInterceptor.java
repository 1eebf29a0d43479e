package io.psf.api;

import java.util.function.Supplier;

/**
 * Wraps every handler of a server or scheduler, for metrics, tracing and fault injection. Interceptors are found on the
 * node's class path by {@link java.util.ServiceLoader}, or are passed to an embedded cluster. The first one found is
 * the outermost. Runs on the lane of the shard or node.
 */
@FunctionalInterface
public interface HandlerInterceptor {
    /**
     * Continues a call, or returns an answer in its place. An exception thrown here becomes the call's error, as if the
     * handler had thrown it.
     *
     * @param call the call's function, tensor, info and request
     * @param next runs the next interceptor or the handler; returns the response, or a {@link
     *     java.util.concurrent.CompletionStage} of the response if the handler answers later
     * @return the result of {@code next}, or another object of the same kind
     */
    Object handle(Intercepted call, Supplier<Object> next);
}
