package io.psf.testkit;

import io.psf.api.CallInfo;

/** Where a handler runs. */
interface TestPlace {
    /**
     * A call begins to be handled.
     *
     * @param readOnly true if it makes no rows
     */
    void begin(CallInfo call, boolean readOnly);

    /** No call is being handled. */
    void end();

    /** What it is, for messages. */
    String label();
}
