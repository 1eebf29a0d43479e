package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The dispatches of frames to receivers, one at a time, on the leader. A dispatch that may block, and does so for long,
 * costs the leader the lead.
 */
final class Dispatches {
    /** A leader that a receiver blocks for longer than this, after {@link #mayTakeLong}, loses the lead. */
    static final long RELIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LeaderThread leader;
    /**
     * The number of the dispatch that may block, while it runs; else 0. The thread that sets it back to 0 controls the
     * lead: the leader itself, or the thread that takes the lead away from it.
     */
    private final AtomicLong blocking = new AtomicLong();

    // Fields of the leader. Those that the relieving thread reads are written before blocking.
    /** The number of dispatches so far. */
    private long count;
    /** The number of the current dispatch; 0 for none. */
    private long current;
    /** The number of the last dispatch that may block. */
    private long lastBlocking;

    private @Nullable PolledChannel channel;

    // Fields of the relieving thread.
    /** The blocking dispatch that it has seen last, and when it saw it first: the leader reads no clock. */
    private long seen;

    private long seenAt;

    Dispatches(LeaderThread leader) {
        this.leader = leader;
    }

    /**
     * Passes a frame to its receiver, on the leader. If the receiver declares that it {@link #mayTakeLong may block},
     * and it does, another thread takes the lead. This thread then must not change any state.
     */
    void dispatch(Receiver receiver, PolledChannel from, Frame frame) {
        long begun = begin(from);
        try {
            receiver.received(from, frame);
        } finally {
            end(begun);
        }
    }

    /** Does what {@link #dispatch} does, with the end of the channel instead of a frame. */
    void dispatchEnd(Receiver receiver, PolledChannel from, PsException cause) {
        long begun = begin(from);
        mayTakeLong(); // no frame follows
        try {
            receiver.closed(from, cause);
        } finally {
            end(begun);
        }
    }

    private long begin(PolledChannel from) {
        channel = from;
        current = ++count;
        return current;
    }

    /** Called when the receiver has fixed the order of the frame: from now on this thread may lose the lead. */
    void mayTakeLong() {
        if (leader.isCurrent() && current != 0) {
            lastBlocking = current;
            blocking.lazySet(current);
        }
    }

    private void end(long ended) {
        if (lastBlocking == ended && !blocking.compareAndSet(ended, 0)) {
            while (leader.isCurrent()) { // another thread is taking the lead at this moment
                Thread.onSpinWait();
            }
        } else if (leader.isCurrent()) {
            current = 0;
        }
    }

    // Relief of the leader, on another thread.

    /** Returns the number of the dispatch that has blocked the leader for long; 0 for none. */
    long overdue() {
        long number = blocking.get();
        long now = System.nanoTime();
        if (number != seen) {
            seen = number;
            seenAt = now;
        }
        return now - seenAt < RELIEF_NANOS ? 0 : number;
    }

    /**
     * Gives this thread control over the lead, unless that dispatch has ended. The old leader then finds, when its
     * receiver returns, that it has lost the lead.
     */
    boolean relieve(long overdue) {
        return blocking.compareAndSet(overdue, 0);
    }

    /** Forgets the dispatch of the relieved leader, before the next thread leads. Returns its channel. */
    @Nullable
    PolledChannel abandon() {
        current = 0;
        return channel;
    }
}
