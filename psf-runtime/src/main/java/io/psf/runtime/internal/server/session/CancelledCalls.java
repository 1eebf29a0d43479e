package io.psf.runtime.internal.server.session;

import java.util.LinkedHashSet;
import java.util.Set;

/** The latest calls that a peer has cancelled: each does not run if it has not run yet. Thread-safe. */
public final class CancelledCalls {
    private static final int KEPT = 1000;

    private final Set<Long> calls = new LinkedHashSet<>();

    /** Adds a call, in the place of the oldest one if there are many. */
    public synchronized void add(long call) {
        calls.add(call);
        if (calls.size() > KEPT) {
            calls.remove(calls.iterator().next());
        }
    }

    /** True if the peer has cancelled a call. */
    public synchronized boolean has(long call) {
        return !calls.isEmpty() && calls.contains(call);
    }
}
