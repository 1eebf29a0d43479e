package io.psf.testkit;

import io.psf.api.CallInfo;

/** Where a handler runs. */
interface TestPlace {
    /** A call begins to be handled. */
    void begin(CallInfo call);

    /** No call is being handled. */
    void end();

    /** What it is, for messages. */
    String label();
}
