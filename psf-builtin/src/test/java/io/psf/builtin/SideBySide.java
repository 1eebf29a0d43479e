package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
}
