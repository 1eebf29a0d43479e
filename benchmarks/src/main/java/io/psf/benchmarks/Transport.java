package io.psf.benchmarks;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import java.util.Locale;

/** What the processes are told to talk over. */
enum Transport {
    AUTO,
    TCP,
    UNIX,
    SHM;

    /** The environment variable that tells them. */
    static final String VARIABLE = "PSF_TRANSPORT";

    /**
     * What a user has asked for.
     *
     * @throws PsException with {@code CONFIGURATION} if it is none, or one that this psf cannot be told
     */
    static Transport parse(String name) {
        for (Transport transport : values()) {
            if (transport.toString().equals(name)) {
                if (transport != TCP && !isASetting()) {
                    throw new PsException(
                            PsException.Code.CONFIGURATION,
                            "--transport: %s (expected: tcp, since this psf does not know %s)"
                                    .formatted(name, VARIABLE));
                }
                return transport;
            }
        }
        throw new PsException(
                PsException.Code.CONFIGURATION, "--transport: %s (expected: auto, tcp, unix or shm)".formatted(name));
    }

    /** Whether processes of this psf can be told at all. */
    static boolean isASetting() {
        return !Settings.names(VARIABLE).isEmpty();
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
