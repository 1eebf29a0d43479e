package io.psf.runtime.internal.server.session;

import io.psf.runtime.spi.transport.FramePool;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory of a node's answers: answers that are not sent yet, and answers that are stored for retries. While the
 * unsent ones take too much, calls are deferred. Thread-safe.
 */
final class AnswerMemory {
    /** The polling interval of a thread that waits for an answer's memory. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FramePool pool;
    private final long most;
    private final long mostUnsent;
    private final AtomicLong unsent = new AtomicLong();
    private final AtomicLong stored = new AtomicLong();
    /** Connections with calls that are deferred until other answers are sent. */
    private final Queue<MemoryUser> deferred = new ConcurrentLinkedQueue<>();

    /**
     * Creates an account of no answers.
     *
     * @param most all memory, in bytes
     * @param mostUnsent the part of it for answers that are not sent yet
     */
    AnswerMemory(FramePool pool, long most, long mostUnsent) {
        this.pool = pool;
        this.most = most;
        this.mostUnsent = mostUnsent;
    }

    /** Adds to the number of bytes of unsent answers; negative for answers that have been sent. */
    void unsent(long bytes) {
        unsent.addAndGet(bytes);
    }

    /** True if an answer is not sent yet. */
    boolean hasUnsent() {
        return unsent.get() > 0;
    }

    /**
     * True if calls may run, since enough of the answers have been sent.
     *
     * @param relief how many times the limit is doubled
     */
    boolean hasCapacity(int relief) {
        return unsent.get() <= mostUnsent << relief;
    }

    /**
     * Blocks until there is memory for a long answer. Returns early if no answer is unsent, or memory use has not
     * changed for a time.
     */
    void await(int length, long stillNanos) {
        long used = pool.usedBytes();
        long changedAt = System.nanoTime();
        while (used + FramePool.capacity(length) > most && hasUnsent() && System.nanoTime() - changedAt < stillNanos) {
            LockSupport.parkNanos(this, POLL_NANOS);
            long now = pool.usedBytes();
            if (now != used) {
                used = now;
                changedAt = System.nanoTime();
            }
        }
    }

    /** Adds a connection with a call that is deferred. */
    void defer(MemoryUser connection) {
        deferred.add(connection);
    }

    /** True if a connection has deferred calls. */
    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    /** Runs the deferred calls of one connection if half of the memory is free. */
    void runDeferredIfFree() {
        if (unsent.get() <= mostUnsent / 2) {
            runDeferred();
        }
    }

    /** Runs the deferred calls of one connection. */
    void runDeferred() {
        MemoryUser next = deferred.poll();
        if (next != null) {
            next.runDeferred();
        }
    }

    /** Adds to the number of bytes of answers that are stored for retries; negative for answers that are dropped. */
    void stored(long bytes) {
        stored.addAndGet(bytes);
    }

    /**
     * Returns the maximum number of bytes of answers that a connection may store now.
     *
     * @param usual the connection's limit without memory pressure
     */
    long mostStored(long usual, int connections) {
        long all = (most == Long.MAX_VALUE ? Runtime.getRuntime().maxMemory() : most) / 8;
        return Math.min(usual, stored.get() <= all ? all : all / Math.max(1, connections));
    }
}
