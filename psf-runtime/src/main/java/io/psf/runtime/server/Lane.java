package io.psf.runtime.server;

import io.psf.api.spi.TupleWriter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that runs all work of the shards it was given, in the order in which it came. */
final class Lane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;
    private final TupleWriter writer = new TupleWriter();
    private Scratch scratch = new Scratch();

    Lane(String name) {
        this.executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, queue, work -> {
            Thread made = new Thread(work, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
        executor.prestartCoreThread();
        executor.setRejectedExecutionHandler((work, pool) -> LOG.debug("{} is closed; dropped a piece of work", name));
    }

    /** Runs a piece of work on the lane, later. */
    void execute(Runnable work) {
        executor.execute(() -> {
            try {
                work.run();
            } catch (Throwable e) { // a lane outlives whatever runs on it
                LOG.error("work on a lane failed", e);
            }
        });
    }

    /** Runs a piece of work on the lane: now, if this is the lane. */
    void executeHere(Runnable work) {
        if (Thread.currentThread() == thread) {
            work.run();
        } else {
            execute(work);
        }
    }

    /** Writes the answers of this lane, one at a time. */
    TupleWriter writer() {
        return writer;
    }

    /** The memory that handlers on this lane take for their answers. */
    Scratch scratch() {
        return scratch;
    }

    /** Leaves the scratch memory to a handler that answers later. */
    void leaveScratch() {
        if (!scratch.isEmpty()) {
            scratch = new Scratch();
        }
    }

    /** Runs what has come, and ends. */
    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(5, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
