package io.psf.api;

import org.jspecify.annotations.Nullable;

/**
 * The part of a call that an interceptor sees.
 *
 * @param function the function's name
 * @param tensor the tensor on whose shards the function runs; null if it runs on nodes
 * @param info identifies the call; null on the worker's side, before the call is sent
 * @param request the request's record; on a server, the slice of the request. Its arrays are borrowed
 */
public record Intercepted(
        String function,
        @Nullable TensorId tensor,
        @Nullable CallInfo info,
        Object request) {}
