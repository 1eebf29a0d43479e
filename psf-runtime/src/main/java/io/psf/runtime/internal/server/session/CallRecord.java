package io.psf.runtime.internal.server.session;

import io.psf.runtime.internal.server.lane.Completion;
import io.psf.runtime.spi.transport.Frame;
import org.jspecify.annotations.Nullable;

/**
 * One request as far as its repetitions, and the later requests of its chain, depend on it: its number, its slice, and its
 * answer. Holds neither the handler's shard nor the request, so that a remembered answer keeps nothing else alive. Its
 * fields belong to {@link Answers}.
 */
public final class CallRecord {
    private final long call;
    private final int slice;
    private final int attempt;

    private final Completion completion = new Completion();

    private @Nullable CallRecord sibling;
    private int highestSlice;
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
        this.highestSlice = slice;
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

    @Nullable
    CallRecord sibling() {
        return sibling;
    }

    /** Links another slice of the same call behind this one. */
    void link(@Nullable CallRecord other) {
        sibling = other;
        highestSlice = other == null ? highestSlice : Math.max(highestSlice, other.slice);
    }

    /** Takes the place of a record to which others were linked, up to a slice. */
    void raise(int slice) {
        highestSlice = Math.max(highestSlice, slice);
    }

    /** The highest slice of this record and of those that were linked to it. */
    int highestSlice() {
        return highestSlice;
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
