package io.psf.runtime.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection on one shard, in the order sent. While one call waits for its answer, the later ones wait
 * behind it. Belongs to the shard's lane.
 */
final class Sequence {
    private final Deque<Invocation> waiting = new ArrayDeque<>(1);
    private @Nullable Invocation deferred;

    /** Adds a call. Returns true if it may run now, false if it was queued behind others. */
    boolean enter(Invocation invocation) {
        if (deferred == null && waiting.isEmpty()) {
            return true;
        }
        waiting.add(invocation);
        return false;
    }

    /** Marks a call as run but not answered: it blocks the later ones. */
    void hold(Invocation invocation) {
        deferred = invocation;
    }

    /** Puts a call that was deferred before it ran back to the front of the queue. */
    void putOff(Invocation invocation) {
        waiting.addFirst(invocation);
    }

    /** True if the call blocks the others. */
    boolean isHeldBy(Invocation invocation) {
        return deferred == invocation;
    }

    /** Unblocks the others: the blocking call has answered. */
    void release() {
        deferred = null;
    }

    /** Removes and returns all waiting calls. */
    List<Invocation> removeWaiting() {
        List<Invocation> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /** Returns the number of waiting calls. */
    int size() {
        return waiting.size();
    }

    /** Removes and returns the next call that may run now; null if there is none. */
    @Nullable
    Invocation next() {
        return deferred == null ? waiting.pollFirst() : null;
    }
}
