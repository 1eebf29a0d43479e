package io.psf.runtime.internal.server.lane;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Runs the work of lanes that have no threads, such as the lanes of a test: it chooses when the work runs, and has the
 * time. Runs the work of a lane in the order given, one piece at a time.
 */
public interface LaneRunner extends Executor {
    /** Completes a future once a time has passed. */
    void completeAfter(CompletableFuture<Void> due, Duration delay);
}
