package io.psf.testkit;

import io.psf.api.ClusterCaller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a test's workers. One of them runs at a time, until it waits or makes a call; then the next one is
 * drawn from the programs that need not wait. If all wait, the test's time advances.
 */
final class TestPrograms {
    private final TestClock clock;
    private final List<RunningProgram<?>> unfinished = new ArrayList<>();
    private @Nullable RunningProgram<?> running;

    TestPrograms(TestClock clock) {
        this.clock = clock;
    }

    /**
     * Runs a program for each worker. Blocks until all have ended.
     *
     * @return the results, in the order of the workers
     */
    <T> List<T> run(long seed, List<? extends ClusterCaller> workers, WorkerProgram<T> program) {
        if (!unfinished.isEmpty()) {
            throw new IllegalStateException("programs of workers: running (expected: together(..) called by the test)");
        }
        List<RunningProgram<T>> all = new ArrayList<>();
        workers.forEach(worker -> all.add(new RunningProgram<>(worker.rank(), worker, program)));
        unfinished.addAll(all);
        Throwable first = null;
        Random random = new Random(seed);
        try {
            while (!unfinished.isEmpty()) {
                Throwable failure = step(random);
                if (first == null) {
                    first = failure;
                } else if (failure != null) {
                    first.addSuppressed(failure); // probably of a worker that waited for the first one
                }
            }
        } catch (InterruptedException e) {
            unfinished.forEach(RunningProgram::interrupt);
            unfinished.clear();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("programs of workers: interrupted", e);
        } finally {
            running = null;
        }
        if (first != null) {
            throw failed(first, seed);
        }
        List<@Nullable T> results = new ArrayList<>();
        all.forEach(each -> results.add(each.result()));
        return Collections.unmodifiableList(results);
    }

    /** Lets a program run until it waits, or the time advance. Returns the failure with which the program has ended. */
    private @Nullable Throwable step(Random random) throws InterruptedException {
        List<RunningProgram<?>> ready =
                unfinished.stream().filter(each -> each.isReady(clock.now())).toList();
        if (ready.isEmpty()) {
            Duration limit = Collections.min(
                    unfinished.stream().map(RunningProgram::until).toList());
            clock.advanceToNext(limit);
            return null;
        }
        RunningProgram<?> next = ready.get(random.nextInt(ready.size()));
        running = next;
        next.resume();
        running = null;
        if (next.hasEnded()) {
            unfinished.remove(next);
            return next.failure();
        }
        return null;
    }

    private static RuntimeException failed(Throwable failure, long seed) {
        failure.addSuppressed(new AssertionError("seed " + seed));
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
    }

    /** Lets other programs run before a call, if a program makes it. */
    void yieldBeforeCall() {
        RunningProgram<?> now = running;
        if (now != null && now.isThisThread()) {
            now.park(() -> true, clock.now());
        }
    }

    /**
     * Waits for a condition, if a program waits. Otherwise no other thread would make it true.
     *
     * @param until the time at which a program stops waiting
     * @return true if the condition is true
     */
    boolean await(BooleanSupplier isOver, Duration until) {
        RunningProgram<?> now = running;
        if (!isOver.getAsBoolean() && now != null && now.isThisThread()) {
            now.park(isOver, until);
        }
        return isOver.getAsBoolean();
    }

    Duration now() {
        return clock.now();
    }
}
