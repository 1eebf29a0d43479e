package io.psf.runtime.internal.server.session;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The answers that the peer of a connection has not taken, and the calls that are deferred until it has. Thread-safe.
 */
final class UnsentAnswers {
    /**
     * Above this many unsent bytes, no further calls of the connection run: their answers would only wait, and leave
     * the caches.
     */
    private static final long MOST = 4 << 20;

    private final Admission admission;
    private final AtomicLong bytes = new AtomicLong();
    private volatile long most = MOST;
    private final Deque<Runnable> deferred = new ArrayDeque<>();

    UnsentAnswers(Admission admission) {
        this.admission = admission;
    }

    /** Sets the number of unsent bytes above which no further calls run. */
    void limit(long bytes) {
        most = bytes;
    }

    long bytes() {
        return bytes.get();
    }

    /** Adds to the number of unsent bytes; negative for answers that have been sent. */
    void add(long length) {
        bytes.addAndGet(length);
        admission.unsent(length);
    }

    /** Resets the number of unsent bytes: they are lost with their channel. */
    void forget() {
        admission.unsent(-bytes.getAndSet(0));
    }

    /** True if the peer has taken enough of its answers for another call to run. */
    boolean mayRun() {
        return bytes.get() <= most;
    }

    /** Adds work that runs once the peer has taken answers. */
    void defer(Runnable work) {
        synchronized (deferred) {
            deferred.add(work);
        }
    }

    /** Runs the deferred work, if there is capacity for its answers. */
    void runDeferred() {
        if (bytes.get() <= most / 2) {
            for (Runnable next = poll(); next != null; next = poll()) {
                next.run();
            }
        }
    }

    private @Nullable Runnable poll() {
        synchronized (deferred) {
            return deferred.pollFirst();
        }
    }
}
