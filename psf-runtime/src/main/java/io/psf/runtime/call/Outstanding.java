package io.psf.runtime.call;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls under way, by number, which they get here: in the order in which they are sent, since they are sent again in
 * the order of their numbers. Keeping one makes no garbage. Thread-safe.
 */
final class Outstanding {
    /** Calls whose numbers end in the same bits are linked. */
    private @Nullable Call<?>[] buckets = new Call<?>[64];

    private int size;
    private long next = 1;
    private @Nullable PsException closed;

    /** Keeps a call; if there are to be none any more, the answer is why. */
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

    /** Puts calls that travel together: nobody sees some of them without the others. */
    synchronized @Nullable PsException put(List<Call<?>> calls) {
        if (closed == null) {
            calls.forEach(this::add);
        }
        return closed;
    }

    /** Takes no more calls; those that are under way now. */
    synchronized List<Call<?>> close(PsException cause) {
        closed = cause;
        return all();
    }

    /** No call of a smaller number is under way, now or later. */
    synchronized long oldest() {
        long oldest = next;
        for (Call<?> call : all()) {
            oldest = Math.min(oldest, call.id());
        }
        return oldest;
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

    /** Whether it was under way. */
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

    /** Those that are under way now, in no order. */
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
