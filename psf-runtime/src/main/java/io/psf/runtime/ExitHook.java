package io.psf.runtime;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a worker or client when the JVM shuts down, if its configuration asks for that. Before, its training loops end
 * after the step that they do. Thread-safe.
 */
final class ExitHook implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

    /** How long a shutdown waits for a step of a training loop, and then for the end of the connections. */
    private static final Duration STEP = Duration.ofSeconds(3);

    private static final Duration CLOSE = Duration.ofMillis(1500);

    private final Thread hook;

    /**
     * Registers the hook.
     *
     * @param endings ends the training loops
     * @param close closes the worker or client
     */
    ExitHook(Runnable endings, Runnable close) {
        this.hook = new Thread(() -> leave(endings, close), "psf-exit");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private static void leave(Runnable endings, Runnable close) {
        try {
            run(endings, STEP);
            run(() -> close(close), CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Runnable work, Duration most) throws InterruptedException {
        Thread thread = new Thread(work, "psf-exit-work");
        thread.setDaemon(true);
        thread.start();
        thread.join(most.toMillis());
    }

    private static void close(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            LOG.warn("leaving the cluster: {}", e.getMessage());
        }
    }

    /** Removes the hook, unless the JVM is shutting down. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("the JVM is shutting down");
        }
    }
}
