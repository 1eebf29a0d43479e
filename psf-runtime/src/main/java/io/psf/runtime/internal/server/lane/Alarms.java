package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Delayed work that runs on a lane. Thread-safe. */
public final class Alarms {
    private static final Duration LONGEST = Duration.ofDays(365);

    /** The most pieces of work that wait, of one node or shard: peers cause most of it. */
    static final int MOST = 1 << 16;

    private final Lane lane;
    private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean closed;

    public Alarms(Lane lane) {
        this.lane = lane;
    }

    /**
     * Runs work on the lane after a delay, unless this object is closed before.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if too much work waits
     */
    @SuppressWarnings("CollectionUndefinedEquality") // identity is intended
    public Future<?> after(Duration delay, Runnable work) {
        Objects.requireNonNull(work, "work");
        if (count.get() >= MOST) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "pieces of work that wait for their time: " + (MOST + 1) + " (expected: at most " + MOST
                            + " of one node or shard)");
        }
        CompletableFuture<Void> due = new CompletableFuture<>();
        waiting.add(due);
        count.getAndIncrement();
        due.whenComplete((done, cancelled) -> {
            waiting.remove(due);
            count.getAndDecrement();
            if (cancelled == null) {
                lane.execute(() -> run(work));
            }
        });
        lane.completeAfter(due, delay.compareTo(LONGEST) > 0 ? LONGEST : delay);
        if (closed) {
            due.cancel(false);
        }
        return due;
    }

    private void run(Runnable work) {
        if (!closed) {
            try {
                work.run();
            } finally {
                lane.scratch().reset();
            }
        }
    }

    /** Cancels all waiting work, so that its objects can be collected before their time. */
    public void close() {
        closed = true;
        waiting.forEach(due -> due.cancel(false));
    }
}
