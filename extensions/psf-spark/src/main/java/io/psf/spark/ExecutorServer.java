package io.psf.spark;

import io.psf.runtime.Server;
import java.time.Duration;
import java.util.ServiceConfigurationError;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server in an executor. A thread offers it to the driver until there is a seat for it, starts it, and offers it
 * again if it ends before the executor does.
 */
final class ExecutorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorServer.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final ClusterSettings settings;
    private final String host;
    private final Consumer<Server> started;
    private final Callable<Boolean> seat;
    private final Thread thread;
    // Guarded by this.
    private @Nullable Server server;
    private boolean closed;

    private ExecutorServer(ClusterSettings settings, String host, Consumer<Server> started, Callable<Boolean> seat) {
        this.settings = settings;
        this.host = host;
        this.started = started;
        this.seat = seat;
        this.thread = new Thread(this::run, "psf-executor-server");
        thread.setDaemon(true);
    }

    /**
     * Starts the thread. It has the context class loader of the calling thread, which has the handlers of the user's
     * jars.
     *
     * @param started receives each server that runs
     * @param seat asks the driver for a seat
     */
    static ExecutorServer start(
            ClusterSettings settings, String host, Consumer<Server> started, Callable<Boolean> seat) {
        ExecutorServer server = new ExecutorServer(settings, host, started, seat);
        server.thread.start();
        return server;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void run() {
        while (!isClosed()) {
            try {
                if (seat.call()) {
                    KeptExecutor.keep();
                    serve();
                    return; // the cluster has ended
                }
            } catch (Exception e) { // the driver may be busy, or the lost server of the rank not known as lost yet
                failed(e);
            } catch (ServiceConfigurationError
                    | LinkageError e) { // a user's jar; the end of the executor would not mend it
                failed(e);
            }
            pause();
        }
    }

    private void failed(Throwable failure) {
        if (!isClosed()) {
            LOG.warn("no server in this executor yet; it tries again: {}", failure.toString());
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs a server until the cluster ends. Fails if the server is lost before. */
    private void serve() {
        Server running = Server.start(settings.server(host));
        started.accept(running);
        synchronized (this) {
            server = running;
            if (closed) {
                running.close();
                return;
            }
        }
        running.awaitTermination();
    }

    /** Leaves the cluster in order: the server answers what it has received. */
    @Override
    public void close() {
        Server running;
        synchronized (this) {
            closed = true;
            running = server;
        }
        thread.interrupt();
        if (running != null) {
            running.drain(DRAIN);
        }
    }
}
