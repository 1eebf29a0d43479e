package io.psf.runtime.internal.server.session;

/** From when to when a session lasts, as its peer has said. Thread-safe. */
public final class SessionTerm {
    private volatile long since;
    private volatile boolean retired;

    /** Sets the epoch in which the peer joined; 0 for a client. */
    public void begin(long epoch) {
        since = epoch;
    }

    /** Returns the epoch in which the peer joined; 0 for a client, and for a peer without a session. */
    public long since() {
        return since;
    }

    /** Lets the session end with the next check of the sessions: the peer needs it no more. */
    public void retire() {
        retired = true;
    }

    public boolean isRetired() {
        return retired;
    }
}
