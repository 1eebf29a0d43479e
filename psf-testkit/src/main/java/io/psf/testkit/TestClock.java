package io.psf.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A clock that stands still until the test advances it. */
final class TestClock {
    private final TestLane lane;
    private final List<Alarm> alarms = new ArrayList<>();
    private Duration now = Duration.ZERO;

    private record Alarm(Duration due, CompletableFuture<Void> rings) {}

    TestClock(TestLane lane) {
        this.lane = lane;
    }

    Future<?> after(Duration delay, Runnable work) {
        CompletableFuture<Void> rings = new CompletableFuture<>();
        rings.thenRun(() -> lane.execute(work));
        alarms.add(new Alarm(now.plus(delay), rings));
        return rings;
    }

    /** Advances the time and runs the work that becomes due, the earliest first. */
    void advance(Duration time) {
        Duration end = now.plus(time);
        while (true) {
            Alarm next = alarms.stream().min(Comparator.comparing(Alarm::due)).orElse(null);
            if (next == null || next.due().compareTo(end) > 0) {
                now = end;
                return;
            }
            alarms.remove(next);
            now = next.due();
            next.rings().complete(null);
        }
    }
}
