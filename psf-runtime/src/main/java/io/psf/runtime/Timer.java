package io.psf.runtime;

import io.psf.api.Names;
import io.psf.runtime.spi.transport.FullHeap;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a node's periodic work on a daemon thread: deadlines, and the scheduler's clock. */
final class Timer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Timer.class);

    private final ScheduledExecutorService executor;

    Timer(String name) {
        executor = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, name + "-timer");
            thread.setDaemon(true);
            return thread;
        });
    }

    void every(Duration interval, Runnable work) {
        var unused = executor.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (Throwable e) { // an exception would end the periodic work
                        logFailed(e);
                    }
                },
                interval.toNanos(),
                interval.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private static void logFailed(Throwable e) {
        FullHeap.report(e);
        try {
            LOG.error("a timer's work failed", Names.printable(e));
        } catch (OutOfMemoryError full) {
            // Dropped: the next run may have the memory.
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
