package io.psf.acceptance;

import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Clusters in this JVM, and workers that run side by side on them. */
final class Clusters {
    private Clusters() {}

    /** How frames travel. */
    enum Over {
        MEMORY,
        TCP,
        /** TCP, with the shards in mapped files and several lanes a server. */
        TCP_MAPPED,
        /** Shared memory, by threads that look for a while before they sleep. */
        SHARED_MEMORY,
        /** TCP with Netty's event loops. */
        NETTY
    }

    /**
     * The transports of a test that takes long over each: two of them, or all with {@code -Dpsf.laws.transports=all}.
     * Each transport passes its contract in the module that has it.
     */
    static Stream<Over> transports() {
        return "all".equals(System.getProperty("psf.laws.transports"))
                ? Stream.of(Over.values())
                : Stream.of(Over.TCP_MAPPED, Over.SHARED_MEMORY);
    }

    /** What a worker does. */
    @FunctionalInterface
    interface Work {
        void run(Worker worker) throws Exception;
    }

    static PsCluster start(Over over, int servers, int workers) {
        PsCluster.Builder builder =
                PsCluster.builder().servers(servers).workers(workers).deadline(Duration.ofSeconds(30));
        return switch (over) {
            case MEMORY -> builder.start();
            case TCP -> builder.tcp().start();
            case TCP_MAPPED ->
                builder.tcp().mapped(Path.of("target", "mapped")).lanes(3).start();
            case SHARED_MEMORY ->
                builder.over(new TransportConfig(TransportConfig.Kind.SHM, Duration.ofNanos(20_000)))
                        .lanes(2)
                        .start();
            case NETTY ->
                builder.over(TransportConfig.usual().withKind(TransportConfig.Kind.NETTY))
                        .start();
        };
    }

    /** Runs the same on every worker, each on a thread of its own, and throws what the first of them threw. */
    static void onEachWorker(PsCluster cluster, Work work) {
        ExecutorService threads = Executors.newFixedThreadPool(cluster.workers().size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Worker worker : cluster.workers()) {
                running.add(threads.submit(() -> {
                    work.run(worker);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get(120, TimeUnit.SECONDS);
            }
        } catch (ExecutionException e) {
            throw new AssertionError(String.valueOf(e.getCause()), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }
}
