package io.psf.runtime.server;

import io.psf.api.PsException;

/** Thrown if a request is refused on its lane, before its handler is called. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final PsException why;

    Refused(PsException why) {
        super(why.getMessage(), why, false, false);
        this.why = why;
    }

    PsException why() {
        return why;
    }
}
