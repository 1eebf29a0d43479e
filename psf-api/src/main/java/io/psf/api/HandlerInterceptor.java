package io.psf.api;

import java.util.function.Supplier;

/**
 * Stands around every handler of a server or scheduler: for metrics, tracing, faults. Found on the node's class path by
 * {@link java.util.ServiceLoader}, or given to an embedded cluster; the first one found is the outermost. Called on the
 * lane of the shard or node.
 */
@FunctionalInterface
public interface HandlerInterceptor {
    /**
     * Goes on with a call, or answers in its place. What it throws is the call's error, as if the handler had thrown it.
     *
     * @param call what is called
     * @param next goes on to the next interceptor or the handler; gives the response, or a {@link
     *     java.util.concurrent.CompletionStage} of it if the handler answers later
     * @return what {@code next} gave, or something of the same kind
     */
    Object handle(Intercepted call, Supplier<Object> next);
}
