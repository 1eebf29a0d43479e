package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.runtime.call.PartErrors.Repetition;
import io.psf.runtime.transport.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight: counts the answers that are missing and merges those that have arrived. After the call has ended,
 * nothing is written to the caller's arrays.
 *
 * <p>No code of the caller runs under the call's lock. The code that makes the result from the answers runs on the
 * thread that received the last answer. The dependent stages of the call's futures run without the lock, too. So a call
 * ends by its deadline, and is cancelled or closed at once, whatever that code does.
 *
 * @param <R> the response
 */
public final class Call<R> extends Outcome<R> {
    /** From this many bytes of an answer on, the server is told at once that the call is done: it has a copy. */
    private static final int LARGE = 1 << 16;

    /** In the place of a chain that has not been sent. */
    private static final List<Call<?>> HELD = List.of();

    private final Owner owner;
    /** The number of the call; 0 until the call is outstanding. */
    private long id;

    private final Function<Object, R> function;
    /** Also the lock of the call. */
    private final Parts<R> parts;

    private final CallLimits limits;
    private final long deadline;
    /** Null if no part has failed. */
    private @Nullable PartErrors errors;

    private boolean large;

    /** The thread that runs the caller's code to make the result. All answers have arrived. */
    private @Nullable Thread runner;
    /** True if the runner was interrupted because the call ended while it ran. */
    private boolean stopped;

    /** Null once the call has ended. */
    private @Nullable Object request;

    /** The response that the caller passed to be filled. */
    private final @Nullable R into;

    /** The calls that are sent together with this one, in order; null if it is sent alone; {@link #HELD}. */
    private volatile @Nullable List<Call<?>> chain;

    /** The next call in the same bucket of {@link Outstanding}, which guards this field. */
    private @Nullable Call<?> next;

    /** The side that sends a call, as the call knows it. The methods are called without the lock, unless they say so. */
    interface Owner {
        /** Blocks until a call has ended or a time has passed. The thread may receive answers meanwhile. */
        void await(BooleanSupplier over, long until) throws InterruptedException;

        /** Notes that a call has ended. */
        void ended(Call<?> call, PsException.Code outcome);

        /** Keeps the failure of a call until a thread has observed it. */
        void failed(Call<?> call, PsException failure);

        /** Notes that a thread has been given the failure of a call. */
        void observed(Call<?> call);

        /** Runs stages of a caller's future. Does not block. */
        void callBack(Runnable stages);

        /**
         * Returns what sends a call's refused parts again; null if this side does not know layouts. Called with the lock of
         * the call.
         */
        @Nullable
        Repetition repetition(Call<?> call);
    }

    @SuppressWarnings("unchecked") // the function and its request
    <Q> Call(Owner owner, Function<Q, R> function, Q request, @Nullable R into, Parts<R> parts, CallLimits limits) {
        this.owner = owner;
        this.function = (Function<Object, R>) function;
        this.request = request;
        this.into = into;
        this.parts = parts;
        this.limits = limits;
        this.deadline = System.nanoTime() + limits.timeoutNanos();
    }

    /** Returns its number; 0 before the call is outstanding. */
    long id() {
        return id;
    }

    void setId(long id) {
        this.id = id;
    }

    @Nullable
    Call<?> next() {
        return next;
    }

    void setNext(@Nullable Call<?> other) {
        next = other;
    }

    @Override
    public FunctionInfo info() {
        return function.info();
    }

    Function<Object, R> function() {
        return function;
    }

    /** Returns what of it goes where. */
    Parts<R> parts() {
        return parts;
    }

    CallLimits limits() {
        return limits;
    }

    long deadline() {
        return deadline;
    }

    /** True if it goes to the same slice numbers on the same nodes and lanes as another call. */
    public boolean isPlacedAs(Call<?> other) {
        return parts.arePlacedAs(other.parts);
    }

    /** Marks the call as not sent yet: awaiting it is an error until {@link #release}. */
    public void hold() {
        chain = HELD;
    }

    /** True if it has ended. Its caller may have taken the arrays back. */
    boolean isEnded() {
        synchronized (parts) {
            return parts.merge() == null;
        }
    }

    /** Ends {@link #hold}: the call is sent together with others. */
    void release(List<Call<?>> together) {
        chain = together;
    }

    /** Returns the calls that are sent together with this one, in order; null if it is sent alone. */
    @Nullable
    List<Call<?>> chain() {
        return chain;
    }

    /**
     * Takes ownership of the answer to one part, merges it and releases the frame. Ends the call if it is the last one.
     *
     * @param peer the node that has answered
     * @param epoch of the node's channel that the answer came over
     */
    void answered(@Nullable Peer peer, int epoch, Frame frame) {
        Merge<R> whole = null;
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
                if (parts.missing() == 0 && errors() == null) {
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
        } else {
            failIfAllHaveAnswered();
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
            owner.ended(this, PsException.Code.OK);
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
    void answeredByNobody() {
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
        failIfAllHaveAnswered();
    }

    private void add(int part, PsException cause, boolean refused) {
        parts.failed(part);
        if (errors == null) {
            errors = new PartErrors();
        }
        errors.add(part, place(part, cause), refused);
    }

    /** Fails the parts that a lost node has not answered. */
    void failParts(Peer peer, PsException cause) {
        synchronized (parts) {
            for (int part = 0; part < parts.count(); part++) {
                if (parts.merge() != null && parts.peer(part) == peer && !parts.isAnswered(part)) {
                    add(part, cause, false);
                }
            }
        }
        failIfAllHaveAnswered();
    }

    private void failIfAllHaveAnswered() {
        PsException failure = null;
        Repetition again;
        synchronized (parts) {
            PartErrors found = errors();
            if (parts.merge() == null || found == null || parts.missing() > 0 || found.isRepeating()) {
                return;
            }
            again = repetition(found);
            if (again == null) {
                failure = found.together();
                finish();
            }
        }
        endOrRepeat(failure, again);
    }

    /**
     * Ends the call if its deadline has passed. Deals with the errors of its parts if there are some and the time for the
     * other parts to answer is over.
     */
    void expire(long now) {
        PsException failure = null;
        Repetition again = null;
        synchronized (parts) {
            boolean overdue = now - deadline >= 0;
            PartErrors found = errors();
            boolean due = found != null && !found.isRepeating() && found.isGraceOver(now);
            if (parts.merge() == null || !overdue && !due) {
                return;
            }
            again = overdue || found == null ? null : repetition(found);
            if (again == null) {
                failure = found == null ? late() : found.together();
                finish();
            }
        }
        endOrRepeat(failure, again);
    }

    private void endOrRepeat(@Nullable PsException failure, @Nullable Repetition again) {
        if (again != null) {
            again.start();
        } else if (failure != null) {
            end(failure);
        }
    }

    private PsException late() {
        String function = info().name();
        long millis = TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos());
        int missing = parts.missing();
        if (missing == 0) {
            return place(
                    -1,
                    new PsException(
                            PsException.Code.TIMED_OUT,
                            "the caller's own merge, finish or record not over after " + millis + " ms"));
        }
        PsException late = new PsException(
                PsException.Code.TIMED_OUT,
                missing + " of " + parts.count() + " answers missing after " + millis + " ms");
        List<PsException> errors = new ArrayList<>();
        for (int part = 0; part < parts.count() && errors.size() < PartErrors.MOST_NAMED; part++) {
            if (parts.part(part).isMissing()) {
                errors.add(parts.place(part, function, late));
            }
        }
        return PartErrors.together(errors, Math.max(0, missing - PartErrors.MOST_NAMED));
    }

    // Parts that were refused.

    /**
     * Returns what sends the refused parts again; null if the errors end the call: some are others, or the call is one that
     * is not repeated. Called with the lock.
     */
    private @Nullable Repetition repetition(PartErrors errors) {
        if (!errors.isStale() || chain != null) {
            return null;
        }
        Repetition found = errors.repetition();
        if (found == null && limits.repeats() != null) {
            found = owner.repetition(this);
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
    void repeatBy(Repetition repetition) {
        synchronized (parts) {
            errors = new PartErrors();
            errors.setRepetition(repetition);
        }
    }

    /** True if every part was refused, or its function changes nothing and no part is in flight. */
    boolean mayStartOver() {
        synchronized (parts) {
            return errors != null
                    && errors.isStale()
                    && (errors.count() == parts.count() || info().readOnly() && parts.missing() == 0);
        }
    }

    /** True if a part was refused with {@code STALE_LAYOUT}. */
    boolean isCertainlyStale() {
        synchronized (parts) {
            return errors != null && errors.isCertainlyStale();
        }
    }

    /**
     * Points the refused parts at the owners of their slices by other layouts of the same slices. They have to be sent
     * again then.
     *
     * @param owners by rank
     * @return false if the call has ended, or a part has another error by now
     */
    boolean point(Routing routing, List<Peer> owners) {
        synchronized (parts) {
            if (parts.merge() == null || errors == null || !errors.isStale()) {
                return false;
            }
            parts.point(routing, owners);
            errors.clear();
            return true;
        }
    }

    /** Ends the call with the errors of its parts, which cannot be repeated. */
    void endWithErrors() {
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

    /** Returns the request; null once the call has ended. */
    @Nullable
    Object request() {
        synchronized (parts) {
            return request;
        }
    }

    /** Returns the response that the caller passed to be filled; null for none. */
    @Nullable
    R into() {
        return into;
    }

    /** Ends the call with the result of its repetition. */
    void repeated(R result) {
        if (finish()) {
            endWith(result);
        }
    }

    /**
     * Ends the call at once with an error of a part.
     *
     * @param part -1 if the error belongs to no particular part
     */
    void failAtOnce(int part, PsException cause) {
        if (finish()) {
            end(place(part, cause));
        }
    }

    private void end(PsException failure) {
        endRepetition();
        try {
            owner.failed(this, failure);
            owner.ended(this, failure.code());
        } finally {
            fail(failure);
            if (hasFutures()) {
                owner.callBack(this::tell); // this thread serves other calls, too
            }
        }
    }

    @Override
    PsException place(int part, PsException cause) {
        return parts.place(part, function.info().name(), cause);
    }

    /** True if an answer was large. Valid once the call has ended. */
    boolean isLarge() {
        return large;
    }

    @Override
    boolean isOfNodes() {
        return parts.count() > 0;
    }

    @Override
    void poll(long until) throws InterruptedException {
        owner.await(this, until);
    }

    @Override
    void requireSent() {
        if (chain == HELD) {
            throw new IllegalStateException("chain: not sent yet (expected: sent before one of its calls is awaited)");
        }
    }

    @Override
    void failureObserved() {
        owner.observed(this);
    }

    @Override
    public boolean cancel() {
        if (!finish()) {
            return false;
        }
        endRepetition();
        try {
            owner.ended(this, PsException.Code.CANCELLED);
        } finally {
            fail(place(-1, new PsException(PsException.Code.CANCELLED, "the call was given up")));
            tell();
        }
        return true;
    }
}
