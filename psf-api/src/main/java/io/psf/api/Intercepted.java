package io.psf.api;

import org.jspecify.annotations.Nullable;

/**
 * What an interceptor sees of a call.
 *
 * @param function the function's name
 * @param tensor whose shards it runs on; null if it runs on nodes
 * @param info which call it is; null on the worker's side, before it is sent
 * @param request the request's record; on a server the slice of it. Its arrays are borrowed
 */
public record Intercepted(
        String function,
        @Nullable TensorId tensor,
        @Nullable CallInfo info,
        Object request) {}
