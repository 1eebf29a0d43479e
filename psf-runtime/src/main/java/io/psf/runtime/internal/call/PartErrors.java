package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.spi.Routing;
import java.util.List;
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

    private final CallParts<?> parts;
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

    /** Creates an empty set of errors of the parts of a call. */
    PartErrors(CallParts<?> parts) {
        this.parts = parts;
    }

    /**
     * Adds the error of a part, which says where it happened. Its answer is not missing any more.
     *
     * @param refused true if the part has not run
     */
    void add(int part, PsException placed, boolean refused) {
        parts.failed(part);
        if (isEmpty()) {
            failBy = System.nanoTime() + GRACE_NANOS;
        }
        certainlyStale |= placed.code() == PsException.Code.STALE_LAYOUT;
        stale &= refused
                && (placed.code() == PsException.Code.STALE_LAYOUT || placed.code() == PsException.Code.UNKNOWN_TENSOR);
        if (first.size() < Together.MOST_NAMED || part < first.lastKey()) {
            first.put(part, placed);
        } else {
            unnamed++;
        }
        if (first.size() > Together.MOST_NAMED) {
            first.pollLastEntry();
            unnamed++;
        }
    }

    /** True if no part has an error. */
    boolean isEmpty() {
        return first.isEmpty();
    }

    /**
     * True if every part with an error was refused with {@code STALE_LAYOUT} or {@code UNKNOWN_TENSOR}: the tensor may
     * have been initialized anew elsewhere.
     */
    boolean isStale() {
        return stale;
    }

    /** True if the errors have to be dealt with now: all parts have answered, or have had the time for it. */
    boolean isDue(long now) {
        return !repeating && (parts.missing() == 0 || now - failBy >= 0);
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

    /** Ends a repetition, since the call has ended. */
    void endRepetition() {
        if (repetition != null) {
            repetition.cancel();
        }
    }

    /** Returns the error of the first slice, extended by the errors of the others. */
    PsException together() {
        return Together.of(first.values(), unnamed);
    }

    // For a repetition, without the lock.

    /** True if a part was refused with {@code STALE_LAYOUT}. */
    boolean isCertainlyStale() {
        synchronized (parts) {
            return certainlyStale;
        }
    }

    /**
     * True if every part was refused, so that nothing of the call has run.
     *
     * @param readOnly true if the call changes nothing: then it suffices that no part is in flight
     */
    boolean allowStartingOver(boolean readOnly) {
        synchronized (parts) {
            boolean all = first.size() + unnamed == parts.count();
            return stale && (all || readOnly && parts.missing() == 0);
        }
    }

    /**
     * Points the refused parts at the owners of their slices by other layouts of the same slices. They have to be sent
     * again then, and their errors are forgotten.
     *
     * @param owners by rank
     * @return false if the call has ended, or a part has another error by now
     */
    boolean point(Routing routing, List<Peer> owners) {
        synchronized (parts) {
            if (parts.merge() == null || !stale) {
                return false;
            }
            parts.point(routing, owners);
            first.clear();
            unnamed = 0;
            certainlyStale = false;
            repeating = false;
            return true;
        }
    }
}
