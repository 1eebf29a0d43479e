package io.psf.runtime.server.session;

import io.psf.api.PsException;
import io.psf.runtime.transport.Frame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request as far as later requests depend on it: its number, its slice, and how it was answered. Holds neither the
 * handler's shard nor the request, so that a remembered answer keeps nothing else alive.
 *
 * <p>The fields about the answer and the continuation belong to the lane that the request runs on; those about memory belong
 * to {@link Answers}.
 */
public final class CallRecord {
    private final long call;
    private final int slice;
    private final int attempt;

    // Of the lane.
    private boolean answered;
    private @Nullable PsException failure;
    /** Runs after the answer; null if no work waits for it. */
    private @Nullable List<Runnable> next;

    // Of Answers.
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

    public long call() {
        return call;
    }

    int slice() {
        return slice;
    }

    int attempt() {
        return attempt;
    }

    /** True if the request has been answered; on the lane. */
    public boolean isAnswered() {
        return answered;
    }

    /** The error that the request was answered with; null if there was none. On the lane. */
    public @Nullable PsException failure() {
        return failure;
    }

    /** Notes the error that the request is answered with; on the lane. */
    public void failed(PsException cause) {
        failure = cause;
    }

    /** Notes the answer, and runs the work that waits for it in the order of {@link #whenAnswered}; on the lane. */
    public void answered() {
        answered = true;
        List<Runnable> waiting = next;
        next = null;
        if (waiting != null) {
            waiting.forEach(Runnable::run);
        }
    }

    /** Runs work once the request has been answered, after the work that was given before; on the lane. */
    public void whenAnswered(Runnable work) {
        if (next == null) {
            next = new ArrayList<>(1);
        }
        next.add(work);
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
