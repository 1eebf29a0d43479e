package io.psf.runtime;

import java.time.Duration;

/**
 * What a node's connections to others are made of.
 *
 * @param kind the kind
 * @param spin how long a thread looks again and again for what it waits for before it sleeps, from 0; four times as long
 *     while the last thing came as soon. Waking a sleeping thread takes longer than most calls, but whoever looks keeps a
 *     processor busy
 */
public record TransportConfig(Kind kind, Duration spin) {
    /** A kind of connections. */
    public enum Kind {
        /** Shared memory to nodes on the same machine, where they agree to it, and TCP to the others. */
        AUTO,
        /** Shared memory alone: what runs on another machine, or refuses, is not reached. */
        SHM,
        /** TCP alone. */
        TCP,
        /** TCP with Netty's event loops. */
        NETTY
    }

    public TransportConfig {
        if (spin.isNegative() || spin.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("spin: " + spin + " (expected: 0 to 1 s)");
        }
    }

    /** Defaults: shared memory or TCP, and to look for as long as waking a thread may take. */
    public static TransportConfig usual() {
        return new TransportConfig(Kind.AUTO, Defaults.SPIN);
    }

    /** The same with another kind of connections. */
    public TransportConfig withKind(Kind kind) {
        return new TransportConfig(kind, spin);
    }

    /** The same with another time of looking before sleeping. */
    public TransportConfig withSpin(Duration spin) {
        return new TransportConfig(kind, spin);
    }
}
