package io.psf.runtime;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes a worker or client when the JVM shuts down, if its configuration asks for that. Thread-safe. */
final class ExitHook implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

    /** How long a shutdown waits: `psf launch` kills a process that has not ended within five seconds. */
    private static final Duration MOST = Duration.ofSeconds(3);

    private final Thread hook;

    /** Registers the hook. */
    ExitHook(ConnectedCaller caller) {
        this.hook = new Thread(() -> leave(caller), "psf-exit");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private static void leave(ConnectedCaller caller) {
        Thread closing = new Thread(() -> close(caller), "psf-exit-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(MOST.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(ConnectedCaller caller) {
        try {
            caller.close();
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
