package io.psf.runtime.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection on one shard, in the order sent: while one waits for its answer, the later ones wait
 * behind it. Belongs to the shard's lane.
 */
final class Sequence {
    private final Deque<Invocation> waiting = new ArrayDeque<>(1);
    private @Nullable Invocation deferred;

    /** Takes a call: true if it may run now, false if it was put behind others. */
    boolean enter(Invocation invocation) {
        if (deferred == null && waiting.isEmpty()) {
            return true;
        }
        waiting.add(invocation);
        return false;
    }

    /** The call that ran has not answered yet. */
    void hold(Invocation invocation) {
        deferred = invocation;
    }

    /** A call has been put off before it ran; it stays first in line. */
    void putOff(Invocation invocation) {
        waiting.addFirst(invocation);
    }

    /** Whether that call holds up the others. */
    boolean isHeldBy(Invocation invocation) {
        return deferred == invocation;
    }

    /** The call that held up the others has answered. */
    void release() {
        deferred = null;
    }

    /** Takes out all that wait. */
    List<Invocation> removeWaiting() {
        List<Invocation> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /** How many calls wait. */
    int size() {
        return waiting.size();
    }

    /** The next call that may run now; null if there is none. */
    @Nullable
    Invocation next() {
        return deferred == null ? waiting.pollFirst() : null;
    }
}
