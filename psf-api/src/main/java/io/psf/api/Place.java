package io.psf.api;

/** Where a PS function runs. */
public enum Place {
    /** On every shard of the request's tensor that the request's layouts touch. */
    SHARD,
    /** On every server; if the request has a {@code ByKey long}, only on the server that owns that key. */
    SERVER,
    /** On the scheduler. */
    SCHEDULER
}
