package io.psf.api;

/**
 * Identifies the call that a handler is answering.
 *
 * @param worker the rank of the worker that sent the call; -1 if a server or the scheduler sent it
 * @param call the call's number, unique per worker
 * @param attempt how many times the call may have been sent before, because its connection broke; only a read-only call
 *     is run more than once
 */
public record CallInfo(int worker, long call, int attempt) {}
