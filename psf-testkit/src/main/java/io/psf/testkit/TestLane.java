package io.psf.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/** Runs work one after the other: what comes while some runs, waits. */
final class TestLane {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    /** Whether something runs now. */
    boolean isRunning() {
        return running;
    }

    void execute(Runnable work) {
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
}
