package io.psf.runtime;

import java.time.Duration;

/**
 * The transport of a node's connections.
 *
 * @param kind the kind
 * @param spin how long a waiting thread spins before it sleeps, 0 to 1 s; four times as long while the last message
 *     arrived within that time. Waking a sleeping thread takes longer than most calls, but a spinning thread occupies a
 *     processor
 */
public record TransportConfig(Kind kind, Duration spin) {
    /** A kind of connections. */
    public enum Kind {
        /** Shared memory to nodes on the same machine that agree to it; TCP to the others. */
        AUTO,
        /** Shared memory only: a node on another machine, or one that refuses, is not reachable. */
        SHM,
        /** TCP only. */
        TCP,
        /** TCP with Netty's event loops. */
        NETTY
    }

    public TransportConfig {
        if (spin.isNegative() || spin.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("spin: " + spin + " (expected: 0 to 1 s)");
        }
    }

    /** Returns the defaults: shared memory or TCP, and a spin time of about one wakeup. */
    public static TransportConfig usual() {
        return new TransportConfig(Kind.AUTO, Defaults.SPIN);
    }

    /** Returns a copy with another kind of connections. */
    public TransportConfig withKind(Kind kind) {
        return new TransportConfig(kind, spin);
    }

    /** Returns a copy with another spin time. */
    public TransportConfig withSpin(Duration spin) {
        return new TransportConfig(kind, spin);
    }
}
