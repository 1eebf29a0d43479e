package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.server.session.Connection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of a node whose handlers answer later, and the events that end such a call before that. Thread-safe. */
final class DeferredCalls {
    private final Set<Invocation> calls = ConcurrentHashMap.newKeySet();

    int size() {
        return calls.size();
    }

    /** Returns the number of shards on which at least one call waits, such as those with an open round. */
    long shards() {
        return calls.stream()
                .map(Invocation::shard)
                .filter(Objects::nonNull)
                .distinct()
                .count();
    }

    void add(Invocation call) {
        calls.add(call);
        Connection connection = call.connection();
        if (!connection.isOpen()) { // closed meanwhile, when the call was not here yet
            abandon(connection);
        } else if (connection.hasCancelled(call.call())) {
            cancel(connection, call.call());
        }
    }

    void remove(Invocation call) {
        calls.remove(call);
    }

    /** Fails the calls whose deadline has passed, or is near if they can say what they wait for. */
    void expire() {
        long now = System.nanoTime();
        for (Invocation call : calls) {
            if (call.isDue(now)) {
                call.end(new PsException(Code.TIMED_OUT, "the handler has not answered before the deadline"));
            }
        }
    }

    /** Fails a call that its caller has cancelled. */
    void cancel(Connection connection, long number) {
        for (Invocation call : calls) {
            if (call.connection() == connection && call.call() == number) {
                call.end(new PsException(Code.CANCELLED, "call: cancelled by its caller (expected: awaited)"));
            }
        }
    }

    /** Ends the calls whose caller is gone. */
    void abandon(Connection gone) {
        for (Invocation call : calls) {
            if (call.connection() == gone) {
                call.end(new PsException(Code.UNAVAILABLE, "the caller is gone"));
            }
        }
    }

    /** Fails the calls on shards that were dropped. */
    void endDropped() {
        for (Invocation call : calls) {
            if (call.isDropped()) {
                call.end(Invocation.dropped());
            }
        }
    }

    /** Fails the calls whose requests hold memory while the calls wait. */
    void endHolding(PsException why) {
        calls.forEach(call -> call.endIfHolding(why));
    }
}
