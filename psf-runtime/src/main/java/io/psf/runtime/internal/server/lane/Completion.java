package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call has been answered, for the calls behind it in its chain. Holds neither the request nor its shard, so
 * that a remembered answer keeps neither alive. Belongs to the lane of the call.
 */
public final class Completion {
    private boolean answered;
    private boolean isBeingAnswered;
    private @Nullable PsException failure;
    /** Runs after the answer; null if no work waits for it. */
    private @Nullable List<Runnable> next;

    /** True if the call has been answered. */
    public boolean isAnswered() {
        return answered;
    }

    /**
     * True if the call behind may run: the call has been answered, or has been handled, and only its answer is to be
     * written.
     */
    boolean letsNextRun() {
        return answered || isBeingAnswered;
    }

    /** Lets the call behind run before this one is answered. */
    public void letNextRun() {
        isBeingAnswered = true;
    }

    /** Returns the error that the call was answered with; null if there was none. */
    public @Nullable PsException failure() {
        return failure;
    }

    /** Sets the error that the call is answered with. */
    public void failed(PsException cause) {
        failure = cause;
    }

    /** Marks the call as answered, and runs the work that waits for it in the order of {@link #whenAnswered}. */
    public void answered() {
        answered = true;
        List<Runnable> waiting = next;
        next = null;
        if (waiting != null) {
            waiting.forEach(Runnable::run);
        }
    }

    /** Runs work once the call has been answered, after the work that was given before. */
    void whenAnswered(Runnable work) {
        if (next == null) {
            next = new ArrayList<>(1);
        }
        next.add(work);
    }
}
