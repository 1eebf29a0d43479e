package io.psf.runtime.internal.server.session;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How the peer of a connection proves who it is, and what it may call. Thread-safe. */
public final class PeerRights {
    private final AtomicReference<byte @Nullable []> challenge = new AtomicReference<>();
    private volatile String grant = "";
    private volatile long knownRules;
    private volatile @Nullable Access access;

    /** Returns the nonce that the next join or hello must answer; null for none. */
    public AtomicReference<byte @Nullable []> challenge() {
        return challenge;
    }

    /** Returns the grant that the peer has proved to have; empty for none. */
    public String grant() {
        return grant;
    }

    /** Sets the grant that the peer has proved to have. */
    public void prove(String proved) {
        grant = proved;
    }

    /** Returns the version of the rules that the peer knows; 0 for none. */
    public long knownRules() {
        return knownRules;
    }

    /** Sets the version of the rules that the peer knows. */
    public void knows(long rules) {
        knownRules = rules;
    }

    /** Returns what the peer may call; null if it may call everything. */
    public @Nullable Access access() {
        return access;
    }

    /** Sets what the peer may call; null for everything. */
    public void permit(@Nullable Access now) {
        access = now;
    }
}
