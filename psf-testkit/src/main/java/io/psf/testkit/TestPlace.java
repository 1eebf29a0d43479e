package io.psf.testkit;

import io.psf.api.CallInfo;
import org.jspecify.annotations.Nullable;

/** The place where a handler runs: a shard or a node. */
abstract sealed class TestPlace permits TestShard, TestNode {
    static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    /**
     * Starts the handling of a call.
     *
     * @param reading the function, if it is read-only and changes nothing; null for another
     */
    abstract void begin(CallInfo call, @Nullable String reading);

    /** Ends the handling of the call. */
    abstract void end();

    /** Returns the place's name, for messages. */
    abstract String label();
}
