package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.runtime.transport.LogLimiter;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the events of requests to listeners, whose exceptions are logged. Thread-safe. */
final class RequestEvents implements RequestListener {
    private static final Logger LOG = LoggerFactory.getLogger(RequestEvents.class);

    private final List<RequestListener> listeners;
    private final LogLimiter failures = new LogLimiter();

    RequestEvents(List<RequestListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    List<RequestListener> listeners() {
        return listeners;
    }

    private void forEach(Consumer<RequestListener> event) {
        for (RequestListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error e) {
                if (failures.allows()) {
                    LOG.warn("the listener {} failed; not logged again for a minute", listener, e);
                }
            }
        }
    }

    @Override
    public void queued(String function, long bytes, int depth) {
        forEach(listener -> listener.queued(function, bytes, depth));
    }

    @Override
    public void handled(String function, long waitedNanos, long ranNanos) {
        forEach(listener -> listener.handled(function, waitedNanos, ranNanos));
    }

    @Override
    public void answered(String function, PsException.Code outcome, long bytes, long nanos) {
        forEach(listener -> listener.answered(function, outcome, bytes, nanos));
    }
}
