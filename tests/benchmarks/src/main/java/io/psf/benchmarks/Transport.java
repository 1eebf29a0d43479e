package io.psf.benchmarks;

import io.psf.api.PsException;
import java.util.Locale;

/** The transport that the processes are configured to use. */
enum Transport {
    AUTO,
    TCP,
    SHM,
    NETTY;

    /** The environment variable that configures the transport. */
    static final String VARIABLE = "PSF_TRANSPORT";

    /**
     * Parses the transport that a user has requested.
     *
     * @throws PsException with {@code CONFIGURATION} if the name is unknown
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

    /** Returns the name of a case with this transport; TCP is the default and is not named. */
    String named(String name) {
        return this == TCP ? name : name + ", " + this;
    }

    /** Returns the value for {@link #VARIABLE}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
