package io.psf.runtime.call;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls under way, by number, which it gives them; keeping one makes no garbage. Thread-safe. */
final class Outstanding {
    /** Calls whose numbers end in the same bits are linked. */
    private @Nullable Call<?>[] buckets = new Call<?>[64];

    private int size;
    private long nextId = 1;

    /** Gives a call its number and adds it, unless it has no parts: then it is over before it begins. */
    synchronized void put(Call<?> call) {
        call.setId(nextId++);
        if (call.parts() > 0) {
            if (size == buckets.length) {
                grow();
            }
            link(call);
            size++;
        }
    }

    /** Adds calls at once. */
    synchronized void putAll(List<Call<?>> calls) {
        calls.forEach(this::put);
    }

    /** The smallest number of a call that is under way, or will be. */
    synchronized long oldest() {
        long oldest = nextId;
        for (Call<?> first : buckets) {
            for (Call<?> call = first; call != null; call = call.next()) {
                oldest = Math.min(oldest, call.id());
            }
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

    synchronized void remove(Call<?> call) {
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
                return;
            }
            before = each;
        }
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
