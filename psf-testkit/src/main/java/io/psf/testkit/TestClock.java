package io.psf.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A clock that stands still until the test advances it. */
final class TestClock {
    private final List<Alarm> alarms = new ArrayList<>();
    private Duration now = Duration.ZERO;

    private record Alarm(Duration due, CompletableFuture<Void> rings) {}

    /** Completes a future once the time has advanced. */
    void completeAfter(CompletableFuture<Void> due, Duration delay) {
        alarms.add(new Alarm(now.plus(delay), due));
    }

    /** Returns the time since the test's begin. */
    Duration now() {
        return now;
    }

    /** Advances the time and runs the work that becomes due, the earliest first. */
    void advance(Duration time) {
        Duration end = now.plus(time);
        while (now.compareTo(end) < 0 || isDue()) {
            advanceToNext(end);
        }
    }

    private boolean isDue() {
        Alarm next = next();
        return next != null && next.due().compareTo(now) <= 0;
    }

    /**
     * Advances the time to the next work that becomes due, and runs it; at most to a limit, after which nothing is run.
     */
    void advanceToNext(Duration limit) {
        Alarm next = next();
        if (next == null || next.due().compareTo(limit) > 0) {
            now = limit;
            return;
        }
        alarms.remove(next);
        now = next.due().compareTo(now) > 0 ? next.due() : now;
        next.rings().complete(null);
    }

    private @Nullable Alarm next() {
        alarms.removeIf(alarm -> alarm.rings().isDone()); // cancelled
        return alarms.stream().min(Comparator.comparing(Alarm::due)).orElse(null);
    }
}
