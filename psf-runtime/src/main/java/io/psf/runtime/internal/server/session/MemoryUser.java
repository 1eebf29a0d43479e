package io.psf.runtime.internal.server.session;

/** A connection, as the memory of the node's frames is divided among all of them. Thread-safe. */
interface MemoryUser {
    /** Returns the memory that it requests for its next long frame. */
    FrameMemory frameMemory();

    /** Returns the bytes of its requests that wait for their turn, or that deferred handlers hold. */
    long inUse();

    /**
     * Returns the rank of a worker or server; {@link Integer#MAX_VALUE} for a client, a guest and a stranger, for whose
     * frames no other call waits.
     */
    int rank();

    /** Pauses or resumes reading, by the memory that it has and may have. */
    void regulate();

    /** Runs the deferred calls, if there is capacity for their answers. */
    void runDeferred();
}
