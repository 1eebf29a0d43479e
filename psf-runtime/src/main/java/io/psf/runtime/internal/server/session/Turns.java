package io.psf.runtime.internal.server.session;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Lets a number of calls begin, and another one at the end of each. Thread-safe. */
public final class Turns {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int free;

    /**
     * Creates turns of which none is taken.
     *
     * @param most the most calls at a time
     */
    Turns(int most) {
        free = most;
    }

    /**
     * Takes a turn.
     *
     * @param again run once a turn may be free, if this returns false
     */
    public synchronized boolean begin(Runnable again) {
        if (free == 0) {
            waiting.add(again);
            return false;
        }
        free--;
        return true;
    }

    /** Gives a turn back. */
    public void end() {
        Runnable next = giveBack();
        if (next != null) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable giveBack() {
        free++;
        return waiting.pollFirst();
    }
}
