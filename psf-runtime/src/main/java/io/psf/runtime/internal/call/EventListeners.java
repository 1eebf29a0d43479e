package io.psf.runtime.internal.call;

import io.psf.api.Names;
import io.psf.runtime.internal.log.LogLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of a node's events, whose exceptions are logged. Thread-safe.
 *
 * @param <L> the type of the listeners
 */
public final class EventListeners<L> {
    private static final Logger LOG = LoggerFactory.getLogger(EventListeners.class);

    private final List<L> listeners;
    private final LogLimiter failures = new LogLimiter();

    private EventListeners(List<L> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Returns listeners with one more.
     *
     * @param before the listeners so far; null for none
     */
    public static <L> EventListeners<L> with(@Nullable EventListeners<L> before, L listener) {
        List<L> all = new ArrayList<>(before == null ? List.of() : before.listeners);
        all.add(listener);
        return new EventListeners<>(all);
    }

    /** Returns the first listener of a type; null if there is none. */
    public <T> @Nullable T find(Class<T> type) {
        return listeners.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElse(null);
    }

    /** Passes an event to each listener, on this thread. */
    public void forEach(Consumer<? super L> event) {
        for (L listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error e) {
                if (failures.allows()) {
                    LOG.warn("the listener {} failed; not logged again for a minute", listener, Names.printable(e));
                }
            }
        }
    }
}
