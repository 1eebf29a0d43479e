package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call that notes in a list that it has run, and how.
 *
 * @param name what it notes
 * @param ran the list
 */
record RecordedCall(
        String name,
        CallSource source,
        long arrival,
        @Nullable CallOrder order,
        @Nullable Completion before,
        List<String> ran)
        implements Turn, OrderedCall {
    /** A source that takes all its answers. */
    static final class Always implements CallSource {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean mayRun(Runnable again) {
            return true;
        }
    }

    @Override
    public OrderedCall first() {
        return this;
    }

    @Override
    public Set<CallOrder> orders() {
        return order == null ? Set.of() : Set.of(order);
    }

    @Override
    public boolean mayRun(Runnable again) {
        return source.mayRun(again);
    }

    @Override
    public void run() {
        ran.add(name);
    }

    @Override
    public void serve() {
        ran.add(name);
    }

    @Override
    public void refuse(PsException why) {
        ran.add(name + " " + why.code());
    }
}
