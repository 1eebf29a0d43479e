package io.psf.testkit;

import io.psf.api.CallInfo;

/** The place where a handler runs: a shard or a node. */
abstract sealed class TestPlace permits TestShard, TestNode {
    static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    /**
     * Starts the handling of a call.
     *
     * @param readOnly true if the call creates no rows
     */
    abstract void begin(CallInfo call, boolean readOnly);

    /** Ends the handling of the call. */
    abstract void end();

    /** Returns the place's name, for messages. */
    abstract String label();
}
