package io.psf.api;

/** Where a PS function runs. */
public enum Place {
    /** On every shard of the tensor that the request names and that the request's layouts touch. */
    SHARD,
    /** On every server; on the one that owns its key, if the request has a {@code ByKey long}. */
    SERVER,
    /** On the scheduler. */
    SCHEDULER
}
