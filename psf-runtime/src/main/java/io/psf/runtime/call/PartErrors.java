package io.psf.runtime.call;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The errors of the parts of one call, which are reported together, in the order of the slices. Guarded by the lock of the
 * call.
 */
final class PartErrors {
    /** After the first failure of a part, the time that the others have to report theirs. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The most errors that are reported; the others are counted. */
    private static final int MOST_NAMED = 3;

    private final TreeMap<Integer, PsException> first = new TreeMap<>();
    private final long failBy = System.nanoTime() + GRACE_NANOS;
    private int unnamed;
    /** True if all parts with an error were refused, since the layout is out of date, or may be. */
    private boolean stale = true;

    private boolean certainlyStale;
    /** Repeats the call; null for none. */
    private @Nullable Retry<?> retry;

    /**
     * Adds the error of a part, which says where it happened.
     *
     * @param refused true if the part has not run
     */
    void add(int part, PsException placed, boolean refused) {
        certainlyStale |= placed.code() == PsException.Code.STALE_LAYOUT;
        stale &= refused
                && (placed.code() == PsException.Code.STALE_LAYOUT || placed.code() == PsException.Code.UNKNOWN_TENSOR);
        if (first.size() < MOST_NAMED || part < first.lastKey()) {
            first.put(part, placed);
        } else {
            unnamed++;
        }
        if (first.size() > MOST_NAMED) {
            first.pollLastEntry();
            unnamed++;
        }
    }

    /** Returns the number of parts with an error. */
    int count() {
        return first.size() + unnamed;
    }

    /**
     * True if every part with an error was refused with {@code STALE_LAYOUT} or {@code UNKNOWN_TENSOR}: the tensor may
     * have been initialized anew elsewhere.
     */
    boolean isStale() {
        return stale;
    }

    /** True if a part has {@code STALE_LAYOUT}. */
    boolean isCertainlyStale() {
        return certainlyStale;
    }

    void retryWith(Retry<?> retry) {
        this.retry = retry;
    }

    /** True if the call is being repeated. */
    boolean isRetried() {
        return retry != null;
    }

    void endRetry() {
        if (retry != null) {
            retry.cancel();
        }
    }

    /**
     * Returns the failure of a call whose deadline has passed, or of which a part has failed while the time for the other
     * parts to answer is over. Returns null if the call goes on. Called with the lock of the call.
     *
     * @param errors of its parts; null for none
     */
    static @Nullable PsException due(Call<?> call, @Nullable PartErrors errors, long now) {
        boolean overdue = now - call.deadline() >= 0;
        if (errors == null) {
            return overdue ? late(call) : null;
        }
        return overdue || !errors.isRetried() && now - errors.failBy >= 0 ? errors.together() : null;
    }

    /** Returns the error of the first slice, extended by those of the others. */
    PsException together() {
        return together(first.values(), unnamed);
    }

    private static PsException late(Call<?> call) {
        Parts parts = call.parts();
        String function = call.info().name();
        long millis = TimeUnit.NANOSECONDS.toMillis(call.limits().timeoutNanos());
        int missing = parts.missing();
        if (missing == 0) {
            return parts.place(
                    -1,
                    function,
                    new PsException(
                            PsException.Code.TIMED_OUT,
                            "the caller's own merge, finish or record not over after " + millis + " ms"));
        }
        PsException late = new PsException(
                PsException.Code.TIMED_OUT,
                missing + " of " + parts.count() + " answers missing after " + millis + " ms");
        List<PsException> errors = new ArrayList<>();
        for (int part = 0; part < parts.count() && errors.size() < MOST_NAMED; part++) {
            if (!parts.isAnswered(part)) {
                errors.add(parts.place(part, function, late));
            }
        }
        return together(errors, Math.max(0, missing - MOST_NAMED));
    }

    private static PsException together(Collection<PsException> inOrder, int unnamed) {
        List<PsException> errors = List.copyOf(inOrder);
        PsException first = errors.get(0);
        if (errors.size() == 1) {
            return first;
        }
        StringJoiner others = new StringJoiner("; ", "; also ", "");
        for (PsException other : errors.subList(1, errors.size())) {
            String where = (other.slice() == null ? "" : "slice " + other.slice() + ", ") + other.server();
            boolean same = other.code() == first.code() && other.detail().equals(first.detail());
            others.add(same ? where : other.code() + ": " + other.detail() + ", " + where);
        }
        if (unnamed > 0) {
            others.add("and " + unnamed + " more");
        }
        PsException all = new PsException(first.code(), first.detail())
                .at(first.function(), first.tensor(), first.slice(), first.server() + others);
        errors.forEach(all::addSuppressed);
        return all;
    }
}
