package io.psf.simulation.world;

import io.psf.runtime.spi.transport.FramePool;
import io.psf.simulation.machine.NodeThreads;
import io.psf.simulation.machine.Trace;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A node of the cluster: its threads, its memory of frames, and psf's object, such as a {@code Server}. */
public final class SimulatedNode<T extends AutoCloseable> {
    /** Idle frames that a node keeps, in bytes: a run makes many nodes. */
    private static final long KEPT_FRAMES = 256 << 10;

    private final NodeThreads threads;
    private final FramePool pool = new FramePool(KEPT_FRAMES);
    private final CompletableFuture<T> started = new CompletableFuture<>();

    SimulatedNode(NodeThreads threads) {
        this.threads = threads;
    }

    void start(Function<FramePool, T> node) {
        threads.start("start", () -> {
            try {
                started.complete(node.apply(pool));
            } catch (Throwable e) {
                Trace.log("has not started: " + e);
                started.completeExceptionally(e);
            }
        });
    }

    public String name() {
        return threads.name();
    }

    public NodeThreads threads() {
        return threads;
    }

    /** Returns psf's object. Blocks until it has started. */
    public T get() {
        return started.join();
    }

    /** Returns psf's object; null if it has not started. */
    public @Nullable T now() {
        return hasFailed() ? null : started.getNow(null);
    }

    /** True if it could not start. */
    boolean hasFailed() {
        return started.isCompletedExceptionally();
    }

    FramePool pool() {
        return pool;
    }
}
