package io.psf.simulation.world;

import org.jspecify.annotations.Nullable;

/** A promise of psf that did not hold. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Violation(String what) {
        super(what);
    }

    public Violation(String what, @Nullable Throwable cause) {
        super(what + ": " + cause, cause);
    }
}
