package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.call.PartErrors.Repetition;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight: the function and its limits, the calls that are sent together with it, and the side that sends it.
 *
 * @param <R> the response
 */
public final class Call<R> extends Ending<R> {
    /** In the place of a chain that has not been sent. */
    private static final List<Call<?>> HELD = List.of();

    private final Owner owner;
    /** The number of the call; 0 until the call is outstanding. */
    private long id;

    private final Function<Object, R> function;
    private final CallLimits limits;

    /** The response that the caller passed to be filled. */
    private final @Nullable R into;

    /** The calls that are sent together with this one, in order; null if it is sent alone; {@link #HELD}. */
    private volatile @Nullable List<Call<?>> chain;

    /** The next call in the same bucket of {@link Outstanding}, which guards this field. */
    private @Nullable Call<?> next;

    /**
     * The side that sends a call, as the call knows it. The methods are called without the lock, unless they say so.
     */
    interface Owner {
        /** Blocks until a call has ended or a time has passed. The thread may receive answers meanwhile. */
        void await(Call<?> call, long until) throws InterruptedException;

        /** Notes that a call has ended. */
        void ended(Call<?> call, PsException.Code outcome);

        /** Keeps the failure of a call until a thread has observed it. */
        void failed(Call<?> call, PsException failure);

        /** Notes that a thread has been given the failure of a call. */
        void observed(Call<?> call);

        /** Runs stages of a caller's future. Does not block. */
        void callBack(Runnable stages);

        /**
         * Returns what sends a call's refused parts again; null if this side does not know layouts. Called with the
         * lock of the call.
         */
        @Nullable
        Repetition repetition(Call<?> call, PartErrors errors);
    }

    @SuppressWarnings("unchecked") // the function and its request
    <Q> Call(Owner owner, Function<Q, R> function, Q request, @Nullable R into, CallParts<R> parts, CallLimits limits) {
        super(request, parts, System.nanoTime() + limits.timeoutNanos());
        this.owner = owner;
        this.function = (Function<Object, R>) function;
        this.into = into;
        this.limits = limits;
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

    CallLimits limits() {
        return limits;
    }

    /** True if it goes to the same slice numbers on the same nodes and lanes as another call. */
    public boolean isPlacedAs(Call<?> other) {
        return parts().arePlacedAs(other.parts());
    }

    /** Marks the call as not sent yet: awaiting it is an error until {@link #release}. */
    public void hold() {
        chain = HELD;
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

    /** Returns the response that the caller passed to be filled; null for none. */
    @Nullable
    R into() {
        return into;
    }

    @Override
    PsException place(int part, PsException cause) {
        return parts().place(part, function.info().name(), cause);
    }

    @Override
    boolean isOfNodes() {
        return parts().count() > 0;
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
    void ended(PsException.Code outcome) {
        owner.ended(this, outcome);
    }

    @Override
    void keep(PsException failure) {
        owner.failed(this, failure);
    }

    @Override
    void callBack(Runnable stages) {
        owner.callBack(stages);
    }

    @Override
    boolean isChained() {
        return chain != null;
    }

    @Override
    @Nullable
    Repetition newRepetition(PartErrors errors) {
        return limits.repeats() == null ? null : owner.repetition(this, errors);
    }

    @Override
    PsException late() {
        return parts().late(info().name(), TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos()));
    }
}
