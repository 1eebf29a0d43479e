package io.psf.runtime.transport;

import io.psf.api.spi.FunctionInfo;

/**
 * What stands before the body of a request.
 *
 * @param info the function that is called
 * @param tensor the number of the tensor's name; 0 for none
 * @param slice of the tensor, or of a call to nodes which of them it is for
 * @param call the call's number; its slices share it
 * @param timeoutMillis until the deadline
 * @param attempt how often the request may have been sent before
 * @param priority calls of a higher one are run first
 * @param layout which slice of which shape it is for; 0 for none
 */
public record RequestHeader(
        FunctionInfo info,
        int tensor,
        int slice,
        long call,
        int timeoutMillis,
        int attempt,
        int priority,
        short layout) {}
