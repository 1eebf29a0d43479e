package io.psf.examples.movielens;

import java.util.Locale;

/** How far the workers may be apart. */
enum Consistency {
    /** Bulk synchronous parallel: not at all. */
    BSP,
    /** Stale synchronous parallel: by a number of clocks. */
    SSP,
    /** Asynchronous parallel: by any number. */
    ASP;

    /** Returns the option's value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
