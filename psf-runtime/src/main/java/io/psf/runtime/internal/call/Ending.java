package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.spi.Merge;
import io.psf.runtime.internal.call.PartErrors.Repetition;
import io.psf.runtime.spi.transport.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The way of a call to its end: merges the answers, collects the errors of parts, and ends the call with a result or
 * one failure. After the call has ended, nothing is written to the caller's arrays. It is a superclass of {@link Call},
 * and not a part of it, so that a call is one object.
 *
 * <p>No code of the caller runs under the call's lock. The code that makes the result from the answers runs on the
 * thread that received the last answer. The dependent stages of the call's futures run without the lock, too. So a call
 * ends by its deadline, and is cancelled or closed at once, whatever that code does.
 *
 * @param <R> the response
 */
abstract class Ending<R> extends Outcome<R> {
    /** From this many bytes of an answer on, the server is told at once that the call is done: it has a copy. */
    private static final int LARGE = 1 << 16;

    /** Also the lock of the call. */
    private final CallParts<R> parts;

    private final long deadline;
    /** Null if no part has failed. */
    private @Nullable PartErrors errors;

    private boolean large;

    /** The thread that runs the caller's code to make the result. All answers have arrived. */
    private @Nullable Thread runner;
    /** True if the runner was interrupted because the call ended while it ran. */
    private boolean stopped;

    /** Null once the call has ended. Written under the lock. */
    private volatile @Nullable Object request;

    /**
     * Creates a call that has not been sent.
     *
     * @param deadline as {@link System#nanoTime} counts
     */
    Ending(Object request, CallParts<R> parts, long deadline) {
        this.request = request;
        this.parts = parts;
        this.deadline = deadline;
    }

    /** Notes that the call has ended, before its outcome is published or after. Called without the lock. */
    abstract void ended(PsException.Code outcome);

    /** Keeps the failure of the call until a thread has observed it. Called without the lock. */
    abstract void keep(PsException failure);

    /** Runs stages of a caller's future. Does not block. Called without the lock. */
    abstract void callBack(Runnable stages);

    /** True if the call is sent together with others: then it is not repeated. */
    abstract boolean isChained();

    /** Returns what sends refused parts of the call again; null if nothing does. Called with the lock. */
    abstract @Nullable Repetition newRepetition(PartErrors errors);

    /** Returns the error of the call if it is not answered in time. Called with the lock. */
    abstract PsException late();

    /** Returns what of it goes where. */
    final CallParts<R> parts() {
        return parts;
    }

    final long deadline() {
        return deadline;
    }

    /** True if it has ended. Its caller may have taken the arrays back. */
    final boolean isEnded() {
        return parts.haveEnded();
    }

    /** Returns the request; null once the call has ended. */
    @Nullable
    final Object request() {
        return request;
    }

    /** True if an answer was large. Valid once the call has ended. */
    final boolean isLarge() {
        return large;
    }

    /**
     * Takes ownership of the answer to one part, merges it and releases the frame. Ends the call if it is the last one.
     *
     * @param peer the node that has answered
     * @param epoch of the node's channel that the answer came over
     */
    final void answered(@Nullable Peer peer, int epoch, Frame frame) {
        Merge<R> whole = null;
        boolean failing = false;
        int part = -1;
        try {
            synchronized (parts) {
                part = parts.answering(frame, peer, epoch);
                Merge<R> merge = parts.merge();
                if (part < 0 || merge == null) {
                    return;
                }
                large |= frame.length() >= LARGE;
                parts.add(part, frame, merge);
                failing = errors() != null;
                if (parts.missing() == 0 && !failing) {
                    whole = merge;
                    runner = Thread.currentThread();
                }
            }
        } catch (PsException e) {
            fail(part, e, frame.isRefusal());
            return;
        } catch (Throwable e) { // for example an InternalError if shared memory is gone
            fail(part, new PsException(PsException.Code.INTERNAL, "merging the answers: " + e, e), false);
            return;
        } finally {
            frame.release();
        }
        if (whole != null) {
            end(whole);
        } else if (failing) {
            deal(false, System.nanoTime());
        }
    }

    /** Returns the errors of the parts; null for none. Called with the lock. */
    private @Nullable PartErrors errors() {
        return errors == null || errors.isEmpty() ? null : errors;
    }

    /**
     * Makes the result from all answers on this thread, and ends the call with it. Does nothing if the call ends first.
     */
    private void end(Merge<R> whole) {
        R result = null;
        PsException failure = null;
        int part = 0;
        try {
            for (; part < parts.count(); part++) {
                whole.decode(part);
            }
            part = -1; // no slice is to blame for a failure after this point
            result = whole.result();
        } catch (Throwable e) {
            failure = place(part, Merge.failed(e));
        }
        synchronized (parts) {
            runner = null;
            if (!finish()) {
                if (stopped) {
                    Thread.interrupted(); // the interrupt was meant for the caller's code
                }
                return;
            }
        }
        if (failure != null) {
            end(failure);
        } else if (result == null) {
            end(place(-1, Merge.failedWithNull()));
        } else {
            endWith(result);
        }
    }

    private void endWith(R result) {
        endRepetition();
        succeed(result);
        try {
            ended(PsException.Code.OK);
        } finally {
            tell();
        }
    }

    /** Ends the call unless it has ended. The calling thread has to publish the outcome if this method returns true. */
    private boolean finish() {
        synchronized (parts) {
            if (parts.merge() == null) {
                return false;
            }
            parts.end();
            request = null;
            if (runner != null && runner != Thread.currentThread()) {
                stopped = true;
                runner.interrupt();
            }
            return true;
        }
    }

    /** Ends what repeats the call, which has ended: afterwards nothing is written to the caller's arrays. */
    private void endRepetition() {
        PartErrors had = errors;
        if (had != null) {
            had.endRepetition();
        }
    }

    /** Ends a call without parts, which no node has to answer. */
    final void answeredByNobody() {
        Merge<R> whole;
        synchronized (parts) {
            whole = parts.merge();
            runner = whole == null ? null : Thread.currentThread();
        }
        if (whole != null) {
            end(whole);
        }
    }

    /**
     * Records the error of a part, which was refused or may have run. The call ends when the other parts have been
     * answered or after a moment, so that the errors of several slices are reported together.
     */
    private void fail(int part, PsException cause, boolean refused) {
        synchronized (parts) {
            if (parts.merge() == null || parts.isAnswered(part)) {
                return;
            }
            add(part, cause, refused);
        }
        deal(false, System.nanoTime());
    }

    private void add(int part, PsException cause, boolean refused) {
        if (errors == null) {
            errors = new PartErrors(parts);
        }
        errors.add(part, place(part, cause), refused);
    }

    /** Fails the parts that a lost node has not answered. */
    final void failParts(Peer peer, PsException cause) {
        synchronized (parts) {
            for (int part = 0; part < parts.count() && parts.merge() != null; part++) {
                if (parts.peer(part) == peer && !parts.isAnswered(part)) {
                    add(part, cause, false);
                }
            }
        }
        deal(false, System.nanoTime());
    }

    /** Ends the call if its deadline has passed, or if the errors of its parts do. */
    final void expire(long now) {
        deal(now - deadline >= 0, now);
    }

    /**
     * Deals with the errors of the parts once the others have answered, or have had their time for it.
     *
     * @param overdue true to end the call in any case
     */
    private void deal(boolean overdue, long now) {
        PsException failure = null;
        Repetition again = null;
        synchronized (parts) {
            PartErrors found = errors();
            if (parts.merge() == null || !overdue && (found == null || !found.isDue(now))) {
                return;
            }
            again = overdue || found == null ? null : repetition(found);
            if (again == null) {
                failure = found == null ? late() : found.together();
                finish();
            }
        }
        if (again != null) {
            again.start();
        } else if (failure != null) {
            end(failure);
        }
    }

    // CallParts that were refused.

    /**
     * Returns what sends the refused parts again; null if the errors end the call: some errors are of another kind, or
     * the call is not repeatable. Called with the lock.
     */
    private @Nullable Repetition repetition(PartErrors errors) {
        if (!errors.isStale() || isChained()) {
            return null;
        }
        Repetition found = errors.repetition();
        if (found == null) {
            found = newRepetition(errors);
            if (found != null) {
                errors.setRepetition(found);
            }
        }
        if (found != null) {
            errors.repeat();
        }
        return found;
    }

    /** Sets what sends refused parts again, before the call is sent. */
    final <T extends Repetition> T repeatBy(java.util.function.Function<PartErrors, T> with) {
        PartErrors none = new PartErrors(parts);
        T repetition = with.apply(none);
        none.setRepetition(repetition);
        synchronized (parts) {
            errors = none;
        }
        return repetition;
    }

    /** Ends the call with the errors of its parts, which cannot be repeated. */
    final void endWithErrors() {
        PsException failure;
        synchronized (parts) {
            PartErrors found = errors();
            if (found == null || !finish()) {
                return;
            }
            failure = found.together();
        }
        end(failure);
    }

    /** Ends the call with the result of its repetition. */
    final void repeated(R result) {
        if (finish()) {
            endWith(result);
        }
    }

    /**
     * Ends the call at once with an error of a part.
     *
     * @param part -1 if the error belongs to no particular part
     */
    final void failAtOnce(int part, PsException cause) {
        if (finish()) {
            end(place(part, cause));
        }
    }

    private void end(PsException failure) {
        endRepetition();
        try {
            keep(failure);
            ended(failure.code());
        } finally {
            fail(failure);
            if (hasFutures()) {
                callBack(this::tell); // this thread serves other calls, too
            }
        }
    }

    @Override
    public final boolean cancel() {
        if (!finish()) {
            return false;
        }
        endRepetition();
        try {
            ended(PsException.Code.CANCELLED);
        } finally {
            fail(place(-1, new PsException(PsException.Code.CANCELLED, "call: cancelled")));
            tell();
        }
        return true;
    }
}
