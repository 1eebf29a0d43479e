package io.psf.examples;

import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** The workers of a cluster in this JVM, each on a thread of its own. */
public final class Workers {
    private Workers() {}

    /** Runs a program on every worker. Blocks until all have ended. */
    public static void run(PsCluster cluster, Consumer<Worker> program) {
        ExecutorService threads = Executors.newFixedThreadPool(cluster.workers().size());
        try {
            List<CompletableFuture<Void>> running = cluster.workers().stream()
                    .map(worker -> CompletableFuture.runAsync(() -> program.accept(worker), threads))
                    .toList();
            running.forEach(CompletableFuture::join);
        } finally {
            threads.shutdownNow();
        }
    }
}
