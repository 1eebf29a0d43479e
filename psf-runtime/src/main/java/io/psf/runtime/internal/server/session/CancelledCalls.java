package io.psf.runtime.internal.server.session;

import java.util.LinkedHashSet;
import java.util.Set;

/** The latest calls that a peer has cancelled: each does not run if it has not run yet. Thread-safe. */
public final class CancelledCalls {
    private static final int KEPT = 1000;

    private final Set<Long> calls = new LinkedHashSet<>();
    private volatile boolean isEmpty = true;

    /** Adds a call, in the place of the oldest one if there are many. */
    public synchronized void add(long call) {
        calls.add(call);
        isEmpty = false;
        if (calls.size() > KEPT) {
            calls.remove(calls.iterator().next());
        }
    }

    /** True if the peer has cancelled a call. */
    public boolean has(long call) {
        return !isEmpty && contains(call);
    }

    private synchronized boolean contains(long call) {
        return calls.contains(call);
    }
}
