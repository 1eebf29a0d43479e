package io.psf.cli;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a node in order when its process is told to (SIGTERM), with exit code 0, and at once when it is told again. The
 * class of the JDK is found by its name, since it is of the module {@code jdk.unsupported}. Thread-safe.
 */
final class TermSignal {
    private static final Logger LOG = LoggerFactory.getLogger(TermSignal.class);

    /** The exit code of a process that SIGTERM has ended. */
    private static final int TERMINATED = 143;

    /** The most of the limit that is left for closing the node. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Duration limit;
    private @Nullable Consumer<Duration> end;
    private boolean told;

    private TermSignal(Duration limit) {
        this.limit = limit;
    }

    /**
     * Handles the signal from now on. A JVM that does not allow that, such as one with {@code -Xrs}, ends at once.
     *
     * @param limit the time in which the process ends
     */
    static TermSignal handle(Duration limit) {
        TermSignal term = new TermSignal(limit);
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    TermSignal.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "handle" -> term.received();
                            case "equals" -> {
                                return self == arguments[0];
                            }
                            case "hashCode" -> {
                                return System.identityHashCode(self);
                            }
                            default -> {
                                return "the end of a node";
                            }
                        }
                        return null;
                    });
            Object ofTerm = signal.getConstructor(String.class).newInstance("TERM");
            signal.getMethod("handle", signal, handler).invoke(null, ofTerm, proxy);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LOG.debug("SIGTERM ends this process at once: {}", e.toString());
        }
        return term;
    }

    /** Sets what ends the node; it gets the time that it may take. Before, the process ends at once. */
    synchronized void whenTold(Consumer<Duration> end) {
        this.end = end;
    }

    /** Called by the JVM, on a thread of its own for each signal. */
    private void received() {
        Consumer<Duration> now;
        synchronized (this) {
            if (told) {
                Runtime.getRuntime().halt(TERMINATED);
            }
            told = true;
            now = end;
        }
        if (now == null) {
            LOG.info("told to end (SIGTERM) before it had joined");
            System.exit(0);
        } else {
            LOG.info("told to end (SIGTERM): within {} ms", limit.toMillis());
            haltAfterLimit();
            Duration quarter = limit.dividedBy(4);
            now.accept(limit.minus(quarter.compareTo(CLOSING) < 0 ? quarter : CLOSING));
        }
    }

    private void haltAfterLimit() {
        Thread watch = new Thread(
                () -> {
                    try {
                        Thread.sleep(limit.toMillis());
                        LOG.warn("not closed within {} ms, and ended", limit.toMillis());
                        Runtime.getRuntime().halt(0);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "psf-drain-limit");
        watch.setDaemon(true);
        watch.start();
    }
}
