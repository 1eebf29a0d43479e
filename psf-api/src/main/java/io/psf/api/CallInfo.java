package io.psf.api;

/**
 * Which call a handler is answering.
 *
 * @param worker the rank of the worker that sent it; -1 if a server or the scheduler did
 * @param call the call's number, unique for that worker
 * @param attempt how often the call may have been sent before, because its connection broke; only one that is read-only
 *     is run more than once
 */
public record CallInfo(int worker, long call, int attempt) {}
