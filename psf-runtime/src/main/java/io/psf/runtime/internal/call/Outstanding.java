package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outstanding calls by number. They get their numbers here, in the order in which they are sent; a reconnect sends
 * them again in that order. Adding a call allocates nothing, except when the table grows. Thread-safe.
 */
final class Outstanding {
    /** A hash table: calls whose numbers end in the same bits are linked. */
    private @Nullable Call<?>[] buckets = new Call<?>[64];

    private int size;
    private long next = 1;
    private @Nullable PsException closed;

    /** Adds a call and returns null; after {@link #close} it returns the cause instead. */
    synchronized @Nullable PsException put(Call<?> call) {
        if (closed == null) {
            add(call);
        }
        return closed;
    }

    private void add(Call<?> call) {
        if (size == buckets.length) {
            grow();
        }
        call.setId(next++);
        link(call);
        size++;
    }

    /**
     * Adds calls that are sent together, atomically: no thread sees only some of them. Returns what {@link #put(Call)}
     * returns.
     */
    synchronized @Nullable PsException put(List<Call<?>> calls) {
        if (closed == null) {
            calls.forEach(this::add);
        }
        return closed;
    }

    /** Gives no call a number below this one any more. */
    synchronized void skipTo(long number) {
        next = Math.max(next, number);
    }

    /** Rejects calls from now on. Returns the outstanding calls. */
    synchronized List<Call<?>> close(PsException cause) {
        closed = cause;
        return all();
    }

    /** Returns a number such that no call with a smaller one that may be sent to a peer is outstanding, now or later. */
    long oldest(Peer peer) {
        return oldest(peer, peer.doneBelow()); // most often a few numbers further than the last time
    }

    private synchronized long oldest(Peer peer, long from) {
        long end = Math.min(next, from + buckets.length);
        for (long number = from; number < end; number++) {
            Call<?> call = get(number);
            if (call != null && call.parts().mayGoTo(peer)) {
                return number;
            }
        }
        return end == next
                ? next
                : all().stream()
                        .filter(call -> call.parts().mayGoTo(peer))
                        .mapToLong(Call::id)
                        .min()
                        .orElse(next);
    }

    private void link(Call<?> call) {
        int bucket = bucket(call.id());
        call.setNext(buckets[bucket]);
        buckets[bucket] = call;
    }

    private void grow() {
        List<Call<?>> calls = all();
        buckets = new Call<?>[2 * buckets.length];
        calls.forEach(this::link);
    }

    private int bucket(long id) {
        return (int) id & buckets.length - 1;
    }

    synchronized @Nullable Call<?> get(long id) {
        Call<?> call = buckets[bucket(id)];
        while (call != null && call.id() != id) {
            call = call.next();
        }
        return call;
    }

    /** Removes a call; true if it was outstanding. */
    synchronized boolean remove(Call<?> call) {
        int bucket = bucket(call.id());
        Call<?> before = null;
        for (Call<?> each = buckets[bucket]; each != null; each = each.next()) {
            if (each == call) {
                if (before == null) {
                    buckets[bucket] = call.next();
                } else {
                    before.setNext(call.next());
                }
                call.setNext(null);
                size--;
                return true;
            }
            before = each;
        }
        return false;
    }

    /** Returns a snapshot of the outstanding calls, in no order. */
    synchronized List<Call<?>> all() {
        List<Call<?>> calls = new ArrayList<>(size);
        for (Call<?> first : buckets) {
            for (Call<?> call = first; call != null; call = call.next()) {
                calls.add(call);
            }
        }
        return calls;
    }

    synchronized int size() {
        return size;
    }
}
