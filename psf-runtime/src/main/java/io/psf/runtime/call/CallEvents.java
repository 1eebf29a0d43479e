package io.psf.runtime.call;

import io.psf.api.CallListener;
import io.psf.api.PsException;
import io.psf.runtime.transport.LogLimiter;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the events of calls to listeners, whose exceptions are logged. Thread-safe. */
final class CallEvents implements CallListener {
    private static final Logger LOG = LoggerFactory.getLogger(CallEvents.class);

    private final List<CallListener> listeners;
    private final LogLimiter failures = new LogLimiter();

    CallEvents(List<CallListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    List<CallListener> listeners() {
        return listeners;
    }

    private void forEach(Consumer<CallListener> event) {
        for (CallListener listener : listeners) {
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
    public void sent(String function, long bytes) {
        forEach(listener -> listener.sent(function, bytes));
    }

    @Override
    public void received(String function, long bytes) {
        forEach(listener -> listener.received(function, bytes));
    }

    @Override
    public void ended(String function, PsException.Code outcome, long nanos) {
        forEach(listener -> listener.ended(function, outcome, nanos));
    }
}
