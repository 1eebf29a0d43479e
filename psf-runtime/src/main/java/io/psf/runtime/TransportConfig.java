package io.psf.runtime;

import java.time.Duration;

/**
 * The transport of a node's connections. A record, as all configuration of a role: a new component breaks no caller
 * that begins with {@link #usual}.
 *
 * @param kind the kind
 * @param spin how long a waiting thread spins before it sleeps, 0 to 1 s; four times as long while the last message
 *     arrived within that time. Waking a sleeping thread takes longer than most calls, but a spinning thread occupies a
 *     processor
 * @param checksum true if each frame over TCP has a checksum (CRC-32C), also on connections that other nodes make to
 *     this one. A frame that was damaged on the way then ends its connection, which is replaced, and calls without an
 *     answer are sent again
 */
public record TransportConfig(Kind kind, Duration spin, boolean checksum) {
    /** A kind of connections. */
    public enum Kind {
        /** Shared memory to nodes on the same machine that agree to it; TCP to the others. */
        AUTO,
        /** Shared memory only: a node on another machine, or a node that refuses, is not reachable. */
        SHM,
        /** TCP only. */
        TCP,
        /** TCP with Netty's event loops. Requires the artifact {@code psf-netty} on the class path. */
        NETTY
    }

    public TransportConfig {
        if (spin.isNegative() || spin.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("spin: " + spin + " (expected: 0 to 1 s)");
        }
    }

    /** Creates a configuration without checksums. */
    public TransportConfig(Kind kind, Duration spin) {
        this(kind, spin, false);
    }

    /** Returns the defaults: shared memory or TCP, a spin time of about one wakeup, no checksums. */
    public static TransportConfig usual() {
        return new TransportConfig(Kind.AUTO, Defaults.SPIN);
    }

    /** Returns a copy with another kind of connections. */
    public TransportConfig withKind(Kind kind) {
        return new TransportConfig(kind, spin, checksum);
    }

    /** Returns a copy with another spin time. */
    public TransportConfig withSpin(Duration spin) {
        return new TransportConfig(kind, spin, checksum);
    }

    /** Returns a copy with or without checksums. */
    public TransportConfig withChecksum(boolean checksum) {
        return new TransportConfig(kind, spin, checksum);
    }
}
