package io.psf.runtime.call;

import io.psf.api.PsException;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The errors of the parts of one call, which are reported together, in the order of the slices; and what sends refused
 * parts again. Guarded by the lock of the call.
 */
final class PartErrors {
    /** After the first failure of a part, the time that the others have to report theirs. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The most errors that are reported; the others are counted. */
    static final int MOST_NAMED = 3;

    private final TreeMap<Integer, PsException> first = new TreeMap<>();
    private long failBy;
    private int unnamed;
    /** True if all parts with an error were refused, since the layout is out of date, or may be. */
    private boolean stale = true;

    private boolean certainlyStale;
    /** Null until parts are repeated. */
    private @Nullable Repetition repetition;

    private boolean repeating;

    /** Sends refused parts of one call again. Thread-safe. */
    interface Repetition {
        /** Begins to. Does not block. Called without the lock. */
        void start();

        /** Ends what was begun, since the call has ended. Afterwards nothing is written to the caller's arrays. */
        void cancel();
    }

    /**
     * Adds the error of a part, which says where it happened.
     *
     * @param refused true if the part has not run
     */
    void add(int part, PsException placed, boolean refused) {
        if (isEmpty()) {
            failBy = System.nanoTime() + GRACE_NANOS;
        }
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

    /** Forgets the errors: the parts are being sent again. */
    void clear() {
        first.clear();
        unnamed = 0;
        stale = true;
        certainlyStale = false;
        repeating = false;
    }

    /** True if no part has an error. */
    boolean isEmpty() {
        return first.isEmpty();
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

    /** True if other parts have had the time to report their errors, too. */
    boolean isGraceOver(long now) {
        return now - failBy >= 0;
    }

    /** Returns what repeats the refused parts; null if that is not known yet. */
    @Nullable
    Repetition repetition() {
        return repetition;
    }

    void setRepetition(Repetition repetition) {
        this.repetition = repetition;
    }

    /** Marks the errors as being dealt with: they end the call only if the repetition says so. */
    void repeat() {
        repeating = true;
    }

    /** True if the refused parts are about to be repeated. */
    boolean isRepeating() {
        return repeating;
    }

    /** Ends a repetition, since the call has ended. */
    void endRepetition() {
        if (repetition != null) {
            repetition.cancel();
        }
    }

    /** Returns the error of the first slice, extended by those of the others. */
    PsException together() {
        return together(first.values(), unnamed);
    }

    /**
     * Returns the first of several errors, extended by the others.
     *
     * @param unnamed the number of further ones
     */
    static PsException together(Collection<PsException> inOrder, int unnamed) {
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
