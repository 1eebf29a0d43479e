package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Workers of a cluster that run at once. */
public final class SideBySide {
    private SideBySide() {}

    /** Runs the same on all workers, each on a thread of its own, and returns what each has returned. */
    public static <T> List<T> onAll(List<Worker> workers, Function<Worker, T> work) {
        List<CompletableFuture<T>> running = new ArrayList<>();
        workers.forEach(worker ->
                running.add(CompletableFuture.supplyAsync(() -> work.apply(worker), task -> new Thread(task).start())));
        return running.stream().map(SideBySide::ended).toList();
    }

    static <T> T ended(CompletableFuture<T> running) {
        try {
            return running.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PsException known) {
                throw known;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a condition holds. */
    static void until(BooleanSupplier holds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            pass(1);
        }
    }

    /** Lets some time pass: a call of another worker arrives meanwhile. */
    static void pass(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
