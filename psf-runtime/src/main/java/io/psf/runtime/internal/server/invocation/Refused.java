package io.psf.runtime.internal.server.invocation;

import io.psf.api.PsException;

/** Thrown if a request is refused on its lane, before its handler is called. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final PsException why;

    public Refused(PsException why) {
        super(why.getMessage(), why, false, false);
        this.why = why;
    }

    PsException why() {
        return why;
    }
}
