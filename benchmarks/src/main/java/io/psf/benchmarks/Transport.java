package io.psf.benchmarks;

import java.util.Locale;

/** What the processes are told to talk over. */
enum Transport {
    AUTO,
    TCP,
    UNIX,
    SHM;

    /** The environment variable that tells them. */
    static final String VARIABLE = "PSF_TRANSPORT";

    /** A case's name: TCP is what is meant where none is said. */
    String named(String name) {
        return this == TCP ? name : name + ", " + this;
    }

    /** As it is written in {@link #VARIABLE}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
