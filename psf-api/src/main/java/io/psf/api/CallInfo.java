package io.psf.api;

/**
 * Which call a handler is answering.
 *
 * @param worker the rank of the worker that sent it; -1 if a server or the scheduler did
 * @param call the call's number, unique for that worker
 * @param attempt 0 the first time, counted up by each repetition of a read-only call
 */
public record CallInfo(int worker, long call, int attempt) {}
