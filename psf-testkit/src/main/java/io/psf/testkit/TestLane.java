package io.psf.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/** Runs work sequentially on the calling thread. Work that is added while other work runs is queued. */
final class TestLane {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    /** True while work runs. */
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
