package io.psf.runtime.internal.server.session;

import io.psf.runtime.internal.server.lane.Completion;
import io.psf.runtime.spi.transport.Frame;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request as far as its repetitions, and the later requests of its chain, depend on it: its number, its slice, and
 * its answer. Holds neither the handler's shard nor the request, so that a remembered answer keeps nothing else alive.
 * Its fields belong to {@link Answers}.
 */
public final class CallRecord {
    private final long call;
    private final int slice;
    private final int attempt;

    private final Completion completion = new Completion();

    /** The records of the call's other slices, by slice, if this one is the first of its call; null for none. */
    private @Nullable Map<Integer, CallRecord> others;

    private boolean known;
    private @Nullable Frame kept;

    /**
     * A record of a request that has arrived.
     *
     * @param call the call's number in its session; the slices of one call share it
     * @param slice of the tensor, or of a call to nodes which of them it is for
     * @param attempt how often the request may have been sent before
     */
    public CallRecord(long call, int slice, int attempt) {
        this.call = call;
        this.slice = slice;
        this.attempt = attempt;
    }

    public long number() {
        return call;
    }

    int slice() {
        return slice;
    }

    int attempt() {
        return attempt;
    }

    /** Returns what the calls behind this one in its chain see of it. Belongs to the lane that the request runs on. */
    public Completion completion() {
        return completion;
    }

    /** Returns the record of a slice of the call that this one is the first of; null if there is none. */
    @Nullable
    CallRecord of(int slice) {
        return slice == this.slice ? this : others == null ? null : others.get(slice);
    }

    /** Adds the record of another slice to this one, the first of its call. */
    void add(CallRecord other) {
        if (others == null) {
            others = new LinkedHashMap<>(4);
        }
        others.put(other.slice, other);
    }

    /** Returns the records of the call's other slices, if this one is the first of its call. */
    Collection<CallRecord> others() {
        return others == null ? List.of() : others.values();
    }

    /**
     * Removes a record of the call that this one is the first of.
     *
     * @return the first one now; null if none is left
     */
    @Nullable
    CallRecord without(CallRecord removed) {
        Map<Integer, CallRecord> rest = others;
        if (removed != this) {
            if (rest != null) {
                rest.remove(removed.slice);
            }
            return this;
        }
        others = null;
        if (rest == null || rest.isEmpty()) {
            return null;
        }
        CallRecord next = rest.values().iterator().next();
        rest.remove(next.slice);
        next.others = rest;
        return next;
    }

    /** True if {@link Answers} holds the record. */
    boolean isKnown() {
        return known;
    }

    void setKnown(boolean known) {
        this.known = known;
    }

    /** The answer, for another sending; null if it has not been given. */
    @Nullable
    Frame kept() {
        return kept;
    }

    void keep(@Nullable Frame answer) {
        kept = answer;
    }
}
