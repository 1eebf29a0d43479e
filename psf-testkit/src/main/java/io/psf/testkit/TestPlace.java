package io.psf.testkit;

import io.psf.api.CallInfo;

/** The place where a handler runs: a shard or a node. */
interface TestPlace {
    /**
     * Starts the handling of a call.
     *
     * @param readOnly true if the call creates no rows
     */
    void begin(CallInfo call, boolean readOnly);

    /** Ends the handling of the call. */
    void end();

    /** Returns the place's name, for messages. */
    String label();
}
