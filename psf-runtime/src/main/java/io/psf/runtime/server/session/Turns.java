package io.psf.runtime.server.session;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Lets one of several calls begin, and the next one after its end. Thread-safe. */
public final class OneAtATime {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean isTaken;

    /**
     * Takes the turn.
     *
     * @param again run once the turn may be free, if this returns false
     */
    public synchronized boolean begin(Runnable again) {
        if (isTaken) {
            waiting.add(again);
            return false;
        }
        isTaken = true;
        return true;
    }

    /** Gives the turn back. */
    public void end() {
        Runnable next = free();
        if (next != null) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable free() {
        isTaken = false;
        return waiting.pollFirst();
    }
}
