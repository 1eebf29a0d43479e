package io.psf.testkit;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The program of one worker, on its own thread. The thread runs between {@link #resume} and the next {@link #park}. */
final class RunningProgram<T> {
    private final Thread thread;
    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore hasStopped = new Semaphore(0);
    private BooleanSupplier isOver = () -> true;
    /** The time at which it stops waiting. */
    private Duration until = Duration.ZERO;

    private boolean ended;
    private @Nullable T result;
    private @Nullable Throwable failure;

    RunningProgram(int rank, ClusterCaller worker, WorkerProgram<T> program) {
        thread = new Thread(() -> run(worker, program), "psf-test-worker-" + rank);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(ClusterCaller worker, WorkerProgram<T> program) {
        try {
            mayRun.acquire();
            result = program.run(worker);
        } catch (Throwable e) { // also failed assertions; the test's thread throws it
            failure = e;
        } finally {
            ended = true;
            hasStopped.release();
        }
    }

    /** Lets the program run until it waits or has ended. Called by the test's thread. */
    void resume() throws InterruptedException {
        mayRun.release();
        hasStopped.acquire();
    }

    /**
     * Waits, on the program's thread, while other programs run.
     *
     * @param isOver the condition that is waited for
     * @param until the time at which the program stops waiting
     */
    void park(BooleanSupplier isOver, Duration until) {
        this.isOver = isOver;
        this.until = until;
        hasStopped.release();
        try {
            mayRun.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, "the waiting thread was interrupted", e);
        }
    }

    /** Ends a program that is not to run any more, since the test's thread was interrupted. */
    void interrupt() {
        thread.interrupt();
    }

    boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    /** True if the program does not wait, or not longer than until now. */
    boolean isReady(Duration now) {
        return until.compareTo(now) <= 0 || isOver.getAsBoolean();
    }

    Duration until() {
        return until;
    }

    boolean hasEnded() {
        return ended;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    @Nullable
    T result() {
        return result;
    }
}
