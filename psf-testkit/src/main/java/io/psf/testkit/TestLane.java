package io.psf.testkit;

import io.psf.runtime.internal.server.lane.LaneRunner;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the work of all lanes of a test sequentially on the calling thread. Work that is added while other work runs is
 * queued.
 */
final class TestLane implements LaneRunner {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final TestClock clock = new TestClock();
    private boolean running;

    /** True while work runs. */
    boolean isRunning() {
        return running;
    }

    TestClock clock() {
        return clock;
    }

    @Override
    public void execute(Runnable work) {
        waiting.add(work);
        if (running) {
            return;
        }
        running = true;
        try {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                next.run();
            }
        } finally {
            running = false;
        }
    }

    @Override
    public void completeAfter(CompletableFuture<Void> due, Duration delay) {
        clock.completeAfter(due, delay);
    }
}
