package io.psf.spark;

import io.psf.runtime.Server;
import java.time.Duration;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server in an executor. A thread offers it to the driver until there is a seat for it, starts it, and offers it
 * again if it ends before the executor does. After each failure to start it the thread waits twice as long.
 */
final class ExecutorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorServer.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(16);
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final ClusterSettings settings;
    private final String host;
    private final Consumer<Server> started;
    private final Seat seat;
    private final Thread thread;
    // Of the thread.
    private Duration pause = FIRST_PAUSE;
    // Guarded by this.
    private @Nullable Server server;
    private boolean closed;

    /** The seat of a server, for which the driver is asked. */
    interface Seat {
        /** Returns whether the executor runs the server. */
        boolean isFree() throws Exception;

        /** Tells the driver why the server has not started. */
        default void failed(String why) {}
    }

    private ExecutorServer(ClusterSettings settings, String host, Consumer<Server> started, Seat seat) {
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
     */
    static ExecutorServer start(ClusterSettings settings, String host, Consumer<Server> started, Seat seat) {
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
                if (seat.isFree()) {
                    KeptExecutor.keep();
                    serve();
                    return; // the cluster has ended
                }
                sleep(FIRST_PAUSE);
            } catch (Exception e) { // the driver may be busy, or the lost server of the rank not known as lost yet
                failed(e);
            } catch (ServiceConfigurationError
                    | LinkageError e) { // a user's jar; the end of the executor would not mend it
                failed(e);
            }
        }
    }

    private void failed(Throwable failure) {
        if (!isClosed()) {
            LOG.warn(
                    "no server in this executor yet; it tries again in {} s: {}",
                    pause.toSeconds(),
                    failure.toString());
            seat.failed(failure.toString());
            sleep(pause);
            pause = longerThan(pause);
        }
    }

    static Duration longerThan(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs a server until the cluster ends. Fails if the server is lost before. */
    private void serve() {
        Server running = Server.start(settings.server(host));
        pause = FIRST_PAUSE;
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
