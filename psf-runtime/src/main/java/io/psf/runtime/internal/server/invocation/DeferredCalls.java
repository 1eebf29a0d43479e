package io.psf.runtime.internal.server.invocation;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls of a node whose handlers answer later, and the events that end such a call before that. Thread-safe. */
public final class DeferredCalls {
    /** A call whose handler has not answered. Its methods are callable from any thread. */
    interface DeferredCall {
        Connection connection();

        long call();

        FunctionInfo function();

        /** Returns the order that the call keeps with others of its worker on its shard; null if it keeps none. */
        @Nullable
        CallOrder order();

        /** Returns the shard that the call waits on, by identity; null if it runs on the node. */
        @Nullable
        Object shard();

        /** True if the call runs on a shard whose tensor was cleared. */
        boolean isDropped();

        /** True if the call has to fail. */
        boolean isDue(long now);

        /** Fails the call unless it is answered. */
        void end(PsException why);

        /** Fails the call unless it is answered, if its request holds memory. */
        void endIfHolding(PsException why);
    }

    private final Set<DeferredCall> calls = ConcurrentHashMap.newKeySet();
    /**
     * How many of each peer keep no order. Of those that keep one, a later call waits, unread, for the one before: a shard
     * has one of each worker.
     */
    private final Map<Connection, Integer> withoutOrder = new ConcurrentHashMap<>();

    /** Returns their number. */
    public int size() {
        return calls.size();
    }

    /** Returns the number of shards on which at least one call waits, such as those with an open round. */
    public long shards() {
        return calls.stream()
                .map(DeferredCall::shard)
                .filter(Objects::nonNull)
                .distinct()
                .count();
    }

    /**
     * Checks that a call may wait.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if too many of the peer do
     */
    void requireRoom(DeferredCall call) {
        if (isCounted(call)) {
            Connection connection = call.connection();
            PeerLimits.requireMayWait(connection, call.function().name(), withoutOrder.getOrDefault(connection, 0));
        }
    }

    void add(DeferredCall call) {
        Connection connection = call.connection();
        if (calls.add(call) && isCounted(call)) {
            withoutOrder.merge(connection, 1, Integer::sum);
        }
        if (!connection.isOpen()) { // closed meanwhile, when the call was not here yet
            abandon(connection);
        } else if (connection.cancelled().has(call.call())) {
            cancel(connection, call.call());
        }
    }

    private static boolean isCounted(DeferredCall call) {
        return call.order() == null
                && !PeerLimits.isOfMembership(call.function().name());
    }

    void remove(DeferredCall call) {
        if (calls.remove(call) && isCounted(call)) {
            withoutOrder.computeIfPresent(call.connection(), (peer, n) -> n == 1 ? null : n - 1);
        }
    }

    /** Fails the calls whose deadline has passed, or is near if they can say what they wait for. */
    public void expire() {
        long now = System.nanoTime();
        for (DeferredCall call : calls) {
            if (call.isDue(now)) {
                call.end(new PsException(Code.TIMED_OUT, "the handler has not answered before the deadline"));
            }
        }
    }

    /** Fails a call that its caller has cancelled. */
    public void cancel(Connection connection, long number) {
        for (DeferredCall call : calls) {
            if (call.connection() == connection && call.call() == number) {
                call.end(new PsException(Code.CANCELLED, "call: cancelled by its caller"));
            }
        }
    }

    /** Ends the calls whose caller is gone. */
    public void abandon(Connection gone) {
        for (DeferredCall call : calls) {
            if (call.connection() == gone) {
                call.end(new PsException(Code.UNAVAILABLE, "the caller is gone"));
            }
        }
    }

    /** Fails the calls on shards that were dropped. */
    public void endDropped() {
        for (DeferredCall call : calls) {
            if (call.isDropped()) {
                call.end(Failures.dropped());
            }
        }
    }

    /** Fails the calls whose requests hold memory while the calls wait. */
    public void endHolding(PsException why) {
        calls.forEach(call -> call.endIfHolding(why));
    }
}
