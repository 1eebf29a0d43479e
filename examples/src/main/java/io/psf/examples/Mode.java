package io.psf.examples;

import java.util.Locale;

/** How the servers combine the workers' pushes. */
public enum Mode {
    /** In rounds of one push of each worker. */
    SYNC,
    /** Each push is applied on arrival. */
    ASYNC;

    /** Returns the option's value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
