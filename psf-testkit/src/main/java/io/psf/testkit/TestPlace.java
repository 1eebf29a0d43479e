package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.spi.FunctionInfo;
import org.jspecify.annotations.Nullable;

/** The place where a handler runs: a shard or a node. */
abstract sealed class TestPlace permits TestShard, TestNode {
    static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    /**
     * Starts the handling of a call.
     *
     * @param function the function, which changes nothing if it is read-only
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the place is the memory of another function
     */
    abstract void begin(CallInfo call, FunctionInfo function);

    /** Returns the name of a function that is read-only; null for another. */
    static @Nullable String reading(FunctionInfo function) {
        return function.readOnly() ? function.name() : null;
    }

    /** Ends the handling of the call. */
    abstract void end();

    /** Returns the place's name, for messages. */
    abstract String label();
}
