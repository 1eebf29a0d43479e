package io.psf.runtime.internal.transport.net;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The thread that leads, if there is one. Thread-safe. */
final class LeaderThread {
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    /** True if this thread leads. */
    boolean isCurrent() {
        return thread.get() == Thread.currentThread();
    }

    /** True if that thread leads; for null, true if no thread leads. */
    boolean is(@Nullable Thread other) {
        return thread.get() == other;
    }

    @Nullable
    Thread thread() {
        return thread.get();
    }

    /** Gives this thread the lead. False if another thread leads. */
    boolean take(Thread me) {
        return thread.compareAndSet(null, me);
    }

    /** Ends the lead of this thread. False if it has lost the lead. */
    boolean resign(Thread me) {
        return thread.compareAndSet(me, null);
    }

    /** Takes the lead away from the leader. Only for the thread that {@link Dispatches#relieve controls} the lead. */
    void depose() {
        thread.set(null);
    }
}
