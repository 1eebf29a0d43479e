package io.psf.runtime.call;

import io.psf.api.spi.FunctionInfo;

/**
 * The header of a request, before its body.
 *
 * @param info the function that is called
 * @param tensor the number of the tensor's name; 0 for none
 * @param slice the slice of the tensor, or the index of the node in a call to nodes
 * @param call the call's number, common to all its parts
 * @param timeoutMillis milliseconds until the deadline
 * @param attempt how many times the request may have been sent before
 * @param priority requests with a higher priority run first
 * @param layout a stamp of the slice and the shape that the request is for; 0 for none
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
