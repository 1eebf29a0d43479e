package io.psf.api;

/**
 * Identifies the call that a handler is answering.
 *
 * @param worker the rank of the worker that sent the call; negative if its caller has no rank: -1 for a server or the
 *     scheduler, a number of its own below -1 for a client
 * @param call the call's number, unique per worker and per client
 * @param attempt how many times the call may have been sent before, because its connection broke; only a read-only call
 *     is run more than once
 */
public record CallInfo(int worker, long call, int attempt) {}
