package io.psf.runtime.internal.server.invocation;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Waiting;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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

        /** Returns the lane that the call runs on. */
        Lane lane();

        /** Returns when the request arrived, as {@link System#nanoTime} counts. Called on the lane. */
        long arrivedAt();

        /** True if the call waits still, and for something of interest. Called on the lane. */
        boolean isCounted();

        /**
         * Returns what waits. Called on the lane.
         *
         * @param explained true if it says for what
         */
        Waiting waiting(long now, boolean explained);

        /** True if the call runs on a shard whose tensor was cleared. */
        boolean isDropped();

        /** True if the call has to fail. */
        boolean isDue(long now);

        /** Fails the call unless it is answered. */
        void end(PsException why);

        /** Fails the call unless it is answered, if its request holds memory. */
        void endIfHolding(PsException why);
    }

    private final Map<Connection, OfPeer> peers = new ConcurrentHashMap<>();

    /** The calls of one peer. */
    private static final class OfPeer {
        private final Set<DeferredCall> calls = ConcurrentHashMap.newKeySet();
        /**
         * How many of them keep no order. A later call that keeps its order waits, unread, for the call before it: a
         * shard has one such call of each worker.
         */
        private final AtomicInteger withoutOrder = new AtomicInteger();
    }

    /** Returns their number. */
    public int size() {
        return peers.values().stream().mapToInt(peer -> peer.calls.size()).sum();
    }

    private Stream<DeferredCall> all() {
        return peers.values().stream().flatMap(peer -> peer.calls.stream());
    }

    private Set<DeferredCall> of(Connection connection) {
        OfPeer peer = peers.get(connection);
        return peer == null ? Set.of() : peer.calls;
    }

    /** Returns the number of shards on which at least one call waits, such as those with an open round. */
    public long shards() {
        return all().map(DeferredCall::shard)
                .filter(Objects::nonNull)
                .distinct()
                .count();
    }

    /**
     * Returns the calls of a lane that wait, by function and tensor; the oldest of them says for what. Called on the
     * lane.
     */
    public List<Waiting> waiting(Lane lane) {
        long now = System.nanoTime();
        Map<String, Waiting> merged = new HashMap<>();
        all().filter(call -> call.lane() == lane && call.isCounted())
                .sorted(Comparator.comparingLong(call -> call.arrivedAt() - now))
                .forEach(call -> {
                    String key = call.function().name() + " " + call.shard();
                    Waiting before = merged.get(key);
                    Waiting waits = call.waiting(now, before == null);
                    merged.put(key, before == null ? waits : before.plus(waits));
                });
        return List.copyOf(merged.values());
    }

    /**
     * Checks that a call may wait.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if too many of the peer do
     */
    void requireRoom(DeferredCall call) {
        if (isCounted(call)) {
            Connection connection = call.connection();
            OfPeer peer = peers.get(connection);
            PeerLimits.requireMayWait(connection, call.function().name(), peer == null ? 0 : peer.withoutOrder.get());
        }
    }

    void add(DeferredCall call) {
        Connection connection = call.connection();
        OfPeer peer = peers.computeIfAbsent(connection, unused -> new OfPeer());
        if (peer.calls.add(call) && isCounted(call)) {
            peer.withoutOrder.incrementAndGet();
        }
        if (!connection.isOpen()) { // closed meanwhile, when the call was not here yet
            abandon(connection);
        } else if (connection.cancelled().has(call.call())) {
            cancel(connection, Set.of(call.call()));
        }
    }

    private static boolean isCounted(DeferredCall call) {
        return call.order() == null
                && !PeerLimits.isOfMembership(call.function().name());
    }

    void remove(DeferredCall call) {
        OfPeer peer = peers.get(call.connection());
        if (peer != null && peer.calls.remove(call) && isCounted(call)) {
            peer.withoutOrder.decrementAndGet();
        }
    }

    /** Fails the calls whose deadline has passed, or is near if they can say what they wait for. */
    public void expire() {
        long now = System.nanoTime();
        all().filter(call -> call.isDue(now))
                .forEach(call ->
                        call.end(new PsException(Code.TIMED_OUT, "the handler has not answered before the deadline")));
    }

    /** Fails calls that their caller has cancelled, by their numbers. */
    public void cancel(Connection connection, Set<Long> numbers) {
        for (DeferredCall call : of(connection)) {
            if (numbers.contains(call.call())) {
                call.end(new PsException(Code.CANCELLED, "call: cancelled by its caller"));
            }
        }
    }

    /** Ends the calls whose caller is gone. */
    public void abandon(Connection gone) {
        OfPeer peer = peers.remove(gone);
        if (peer != null) {
            peer.calls.forEach(call -> call.end(new PsException(Code.UNAVAILABLE, "the caller is gone")));
        }
    }

    /** Fails the calls on shards that were dropped. */
    public void endDropped() {
        all().filter(DeferredCall::isDropped).forEach(call -> call.end(Failures.dropped()));
    }

    /** Fails the calls whose requests hold memory while the calls wait. */
    public void endHolding(PsException why) {
        all().forEach(call -> call.endIfHolding(why));
    }
}
