package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import java.util.List;
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

    private final Client client;
    /** The number of the call; 0 until the call is outstanding. */
    private long id;

    private final Function<Object, R> function;
    private final Parts parts;
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

    /** Merges the answers; null once the call has ended. */
    private @Nullable Merge<R> merge;

    /** The response that the caller passed to be filled. */
    private final @Nullable R into;

    /** The calls that are sent together with this one, in order; null if it is sent alone; {@link #HELD}. */
    private volatile @Nullable List<Call<?>> chain;

    /** The next call in the same bucket of {@link Outstanding}, which guards this field. */
    private @Nullable Call<?> next;

    @SuppressWarnings("unchecked") // the function and its request
    <Q> Call(Client client, Function<Q, R> function, Q request, @Nullable R into, Parts parts, CallLimits limits) {
        this.client = client;
        this.function = (Function<Object, R>) function;
        this.request = request;
        this.into = into;
        this.merge = function.merge(request, parts.routing(), into);
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
    Parts parts() {
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
    synchronized boolean isEnded() {
        return merge == null;
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
     * Claims a part: the calling thread has to send it over the peer's channel of that epoch. Returns false if the part
     * was claimed for that epoch before or was answered, or if the call has ended.
     */
    synchronized boolean claim(int part, int epoch) {
        return merge != null && parts.claim(part, epoch);
    }

    /** Returns how many times a part may have been sent before. */
    synchronized int attempt(int part) {
        return parts.attempt(part);
    }

    /** True if a part for the peer has not been sent over the channel of that epoch and still has to be. */
    synchronized boolean waitsFor(Peer peer, int epoch) {
        return merge != null && parts.waitFor(peer, epoch);
    }

    /**
     * Takes ownership of the answer to one part, merges it and releases the frame. Ends the call if it is the last one.
     */
    void answered(int part, Frame frame) {
        Merge<R> whole = null;
        try {
            synchronized (this) {
                Merge<R> merge = this.merge;
                if (merge == null || part < 0 || parts.isAnswered(part)) {
                    return;
                }
                large |= frame.length() >= LARGE;
                parts.add(part, frame, merge);
                if (parts.missing() == 0 && errors == null) {
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
        synchronized (this) {
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
        succeed(result);
        try {
            client.ended(this, PsException.Code.OK);
        } finally {
            tell();
        }
    }

    /** Ends the call unless it has ended. The calling thread has to publish the outcome if this method returns true. */
    private synchronized boolean finish() {
        if (merge == null) {
            return false;
        }
        merge = null;
        request = null;
        if (errors != null) {
            errors.endRetry();
        }
        if (runner != null && runner != Thread.currentThread()) {
            stopped = true;
            runner.interrupt();
        }
        return true;
    }

    /** Ends a call without parts, which no node has to answer. */
    void answeredByNobody() {
        Merge<R> whole;
        synchronized (this) {
            whole = merge;
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
    void fail(int part, PsException cause, boolean refused) {
        synchronized (this) {
            if (merge == null || parts.isAnswered(part)) {
                return;
            }
            parts.answered(part);
            if (errors == null) {
                errors = new PartErrors();
            }
            errors.add(part, place(part, cause), refused);
        }
        failIfAllHaveAnswered();
    }

    private void failIfAllHaveAnswered() {
        PsException failure = null;
        Retry<R> retry = null;
        synchronized (this) {
            if (merge == null || errors == null || parts.missing() > 0 || errors.isRetried()) {
                return;
            }
            retry = Retry.of(this, client, errors);
            if (retry == null) {
                failure = errors.together();
                finish();
            }
        }
        if (retry != null) {
            retry.start();
        } else if (failure != null) {
            end(failure);
        }
    }

    /** Returns the request; null once the call has ended. */
    synchronized @Nullable Object request() {
        return request;
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
        try {
            client.failed(this, failure);
            client.ended(this, failure.code());
        } finally {
            fail(failure);
            if (hasFutures()) {
                client.callBack(this::tell); // this thread serves other calls, too
            }
        }
    }

    @Override
    PsException place(int part, PsException cause) {
        return parts.place(part, function.info().name(), cause);
    }

    /**
     * Ends the call if its deadline has passed, or if a part has failed and the time for the other parts to answer is
     * over.
     */
    void expire(long now) {
        PsException failure;
        synchronized (this) {
            failure = merge == null ? null : PartErrors.due(this, errors, now);
            if (failure == null) {
                return;
            }
            finish();
        }
        end(failure);
    }

    /** True if an answer was large. Valid once the call has ended. */
    boolean isLarge() {
        return large;
    }

    @Override
    @Nullable
    Channel polled() {
        return parts.count() == 0 ? null : parts.peer(0).channel();
    }

    @Override
    void requireSent() {
        if (chain == HELD) {
            throw new IllegalStateException("chain: not sent yet (expected: sent before one of its calls is awaited)");
        }
    }

    @Override
    void failureObserved() {
        client.observed(this);
    }

    @Override
    public boolean cancel() {
        if (!finish()) {
            return false;
        }
        try {
            client.ended(this, PsException.Code.CANCELLED);
        } finally {
            fail(place(-1, new PsException(PsException.Code.CANCELLED, "call: cancelled (expected: awaited)")));
            tell();
        }
        return true;
    }
}
