package io.psf.benchmarks;

import io.psf.api.PsException;
import java.util.Locale;

/** What the processes are told to talk over. */
enum Transport {
    AUTO,
    TCP,
    SHM,
    NETTY;

    /** The environment variable that tells them. */
    static final String VARIABLE = "PSF_TRANSPORT";

    /**
     * What a user has asked for.
     *
     * @throws PsException with {@code CONFIGURATION} if it is none
     */
    static Transport parse(String name) {
        for (Transport transport : values()) {
            if (transport.toString().equals(name)) {
                return transport;
            }
        }
        throw new PsException(
                PsException.Code.CONFIGURATION, "--transport: %s (expected: auto, tcp, shm or netty)".formatted(name));
    }

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
