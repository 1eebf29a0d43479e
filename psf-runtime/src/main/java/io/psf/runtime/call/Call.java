package io.psf.runtime.call;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.RequestHeader;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
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
public final class Call<R> implements Pending<R>, BooleanSupplier {
    @SuppressWarnings("rawtypes") // there are no generic class literals
    private static final AtomicReferenceFieldUpdater<Call, Thread> WAITER =
            AtomicReferenceFieldUpdater.newUpdater(Call.class, Thread.class, "waiter");

    private static final Duration LONGEST = Duration.ofDays(24);

    /**
     * For answers of at least this many bytes the server is told at once that the call is done, so that it releases its
     * copy.
     */
    private static final int LARGE = 1 << 16;

    /** Reused by each thread to read one answer after another. */
    private static final ThreadLocal<TupleReader> READERS = ThreadLocal.withInitial(TupleReader::new);

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

    /** The calls that are sent together with this one, in order; null if it is sent alone. */
    private volatile @Nullable List<Call<?>> chain;

    /** The next call in the same bucket of {@link Outstanding}, which guards this field. */
    private @Nullable Call<?> next;

    /** The first thread that blocks in {@code await}; it may poll the channel itself. */
    private volatile @Nullable Thread waiter;

    /** The latest of the futures that the caller requested; each links to the one before. */
    private volatile @Nullable CallFuture<R> futures;

    /** The result, or a {@link Failure}; null until the call has ended. Written once. */
    private volatile @Nullable Object outcome;

    /** True if a thread besides the waiter has blocked in {@code await}. */
    private volatile boolean hasFollowers;

    private volatile boolean held;
    private volatile boolean observed;

    /** The outcome of a call that failed. */
    private record Failure(PsException cause) {}

    @SuppressWarnings("unchecked") // the function and its request
    <Q> Call(Client client, Function<Q, R> function, Q request, @Nullable R into, Parts parts, CallLimits limits) {
        this.client = client;
        this.function = (Function<Object, R>) function;
        this.request = request;
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

    /** Returns the function. */
    public FunctionInfo info() {
        return function.info();
    }

    @Nullable
    TensorId tensor() {
        return parts.tensor();
    }

    /** True if it runs on the shards of the tensor or has keys of the tensor. */
    boolean concerns(TensorId tensor) {
        return parts.routing().concerns(tensor);
    }

    /** Returns the layouts of the other tensors, besides the one that it runs on, whose keys it has. */
    List<TensorLayout> others() {
        return parts.others();
    }

    int parts() {
        return parts.count();
    }

    Peer peer(int part) {
        return parts.peer(part);
    }

    int slice(int part) {
        return parts.slice(part);
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
        held = true;
    }

    /** True if it has ended. Its caller may have taken the arrays back. */
    synchronized boolean isEnded() {
        return merge == null;
    }

    /** Ends {@link #hold}: the call is sent together with others. */
    void release(List<Call<?>> together) {
        chain = together;
        held = false;
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

    /** True if a part for the peer has not been sent over the channel of that epoch and still has to be. */
    synchronized boolean waitsFor(Peer peer, int epoch) {
        return merge != null && parts.waitFor(peer, epoch);
    }

    /**
     * Writes a part of the request.
     *
     * @return false if the call has ended
     */
    boolean write(int part, TupleWriter writer) {
        Object request;
        synchronized (this) {
            request = this.request;
        }
        if (request == null) {
            return false;
        }
        try {
            function.write(request, parts.routing(), part, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(request, PsException.Code.BAD_REQUEST, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(request, PsException.Code.BAD_REQUEST, e);
        }
        return true;
    }

    /** Returns the header of a part of the request. */
    RequestHeader header(int part) {
        int attempt;
        synchronized (this) {
            attempt = parts.attempt(part);
        }
        return new RequestHeader(
                parts.peer(part).named(function.info()),
                parts.target(part),
                id,
                millisLeft(),
                attempt,
                limits.priority());
    }

    /** Returns the milliseconds until the deadline, at least 1, as a request carries them. */
    private int millisLeft() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(left, Integer.MAX_VALUE));
    }

    /** Returns the part that the peer answers for a slice; -1 if none. */
    int part(int slice, @Nullable Peer peer) {
        return parts.of(slice, peer);
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
                if (frame.status() != PsException.Code.OK) {
                    throw new PsException(frame.status(), frame.reader(null).string());
                }
                merge.add(part, frame.reader(READERS.get(), null));
                parts.answered(part);
                if (parts.missing() == 0 && errors == null) {
                    whole = merge;
                    runner = Thread.currentThread();
                }
            }
        } catch (PsException e) {
            fail(part, e);
            return;
        } catch (Throwable e) { // for example an InternalError if shared memory is gone
            fail(part, new PsException(PsException.Code.INTERNAL, "merging the answers: " + e, e));
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
            if (merge == null) {
                if (stopped) {
                    Thread.interrupted(); // the interrupt was meant for the caller's code
                }
                return;
            }
            over();
        }
        if (failure != null) {
            end(failure);
        } else if (result == null) {
            end(place(-1, Merge.failedWithNull()));
        } else {
            complete(result);
            try {
                client.ended(this);
            } finally {
                tell();
            }
        }
    }

    private void over() {
        merge = null;
        request = null;
        if (runner != null && runner != Thread.currentThread()) {
            stopped = true;
            runner.interrupt();
        }
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
     * Records the error of a part. The call ends when the other parts have been answered or after a moment,
     * so that the errors of several slices are reported together.
     */
    void fail(int part, PsException cause) {
        synchronized (this) {
            if (merge == null || parts.isAnswered(part)) {
                return;
            }
            parts.answered(part);
            if (errors == null) {
                errors = new PartErrors();
            }
            errors.add(part, place(part, cause));
        }
        failIfAllHaveAnswered();
    }

    private void failIfAllHaveAnswered() {
        PsException failure;
        synchronized (this) {
            if (merge == null || errors == null || parts.missing() > 0) {
                return;
            }
            failure = errors.together();
            over();
        }
        end(failure);
    }

    /**
     * Ends the call at once with an error of a part.
     *
     * @param part -1 if the error belongs to no particular part
     */
    void failAtOnce(int part, PsException cause) {
        synchronized (this) {
            if (merge == null) {
                return;
            }
            over();
        }
        end(place(part, cause));
    }

    private void end(PsException failure) {
        try {
            client.failed(this, failure);
            client.ended(this);
        } finally {
            complete(new Failure(failure));
            if (futures != null) {
                client.callBack(this::tell); // this thread serves other calls, too
            }
        }
    }

    /** Completes the futures that the caller requested. Their stages are code of the caller and run on this thread. */
    private void tell() {
        if (futures == null) {
            return;
        }
        CallFuture<R> first;
        synchronized (this) {
            first = futures;
            futures = null;
        }
        PsException failure = failure();
        R result = failure == null ? result() : null;
        for (CallFuture<R> each = first; each != null; each = each.next()) {
            each.end(result, failure);
        }
    }

    /** Returns the failure of a call that has ended; null if it succeeded. */
    private @Nullable PsException failure() {
        return outcome instanceof Failure failed ? failed.cause : null;
    }

    @SuppressWarnings("unchecked") // what is no failure is the result
    private R result() {
        return (R) Objects.requireNonNull(outcome);
    }

    /** Publishes the outcome. Called once, by the thread that has ended the call. */
    private void complete(Object with) {
        outcome = with;
        wake();
        if (hasFollowers) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    private void wake() {
        Thread thread = waiter;
        if (thread != null && thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
        }
    }

    private PsException place(int part, PsException cause) {
        return parts.place(part, function.info().name(), cause);
    }

    /** Fails the parts that a lost node has not answered. */
    void peerLost(Peer peer, PsException cause) {
        for (int part = 0; part < parts.count(); part++) {
            if (parts.peer(part) == peer) {
                fail(part, cause);
            }
        }
    }

    /**
     * Ends the call if its deadline has passed, or if a part has failed and the time for the other parts to answer is
     * over.
     */
    void expire(long now) {
        PsException failure;
        synchronized (this) {
            PartErrors errors = this.errors;
            boolean overdue = now - deadline >= 0;
            if (merge == null || !overdue && (errors == null || !errors.isDue(now))) {
                return;
            }
            failure = errors != null
                    ? errors.together()
                    : PartErrors.late(
                            parts, function.info().name(), TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos()));
            over();
        }
        end(failure);
    }

    /** True if an answer was large. Valid once the call has ended. */
    boolean isLarge() {
        return large;
    }

    /** True if the answer of a part has arrived. Valid once the call has ended. */
    boolean isAnswered(int part) {
        return parts.isAnswered(part);
    }

    /** True if the caller has been given the outcome of the call. */
    boolean isObserved() {
        return observed;
    }

    @Override
    public boolean isDone() {
        return outcome != null;
    }

    /** True if it has ended. */
    @Override
    public boolean getAsBoolean() {
        return isDone();
    }

    /**
     * Blocks until the call has ended or a time has passed. The first thread polls the channel of the call's first part;
     * all channels of a worker are polled by one reactor, so that it receives the other parts' answers, too. Other threads
     * block until the call has ended.
     *
     * @param until as {@link System#nanoTime} counts
     */
    private void waitUntil(long until) throws InterruptedException {
        if (isDone()) {
            return;
        }
        if (parts.count() == 0 || !WAITER.compareAndSet(this, null, Thread.currentThread())) {
            follow(until);
            return;
        }
        try {
            while (!isDone() && until - System.nanoTime() > 0) {
                parts.peer(0).channel().await(this, until);
                if (!isDone()) { // the channel is closed and may be replaced by another one
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
        } finally {
            waiter = null;
        }
    }

    private synchronized void follow(long until) throws InterruptedException {
        hasFollowers = true; // before the outcome is read, as the outcome is written before this is read
        while (!isDone()) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Blocks until the call has ended, with a result or without. */
    void awaitEnd() {
        try {
            waitUntil(System.nanoTime() + LONGEST.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void requireSent() {
        if (held) {
            throw new IllegalStateException("chain: not sent yet (expected: sent before one of its calls is awaited)");
        }
    }

    @Override
    public R await() {
        return await(LONGEST);
    }

    @Override
    public R await(Duration limit) {
        requireSent();
        long until = System.nanoTime() + (limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos());
        try {
            waitUntil(until);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (!isDone()) {
            throw place(
                    -1, new PsException(PsException.Code.TIMED_OUT, "no answer yet after " + limit.toMillis() + " ms"));
        }
        observed = true;
        PsException failure = failure();
        if (failure != null) {
            client.observed(this);
            throw failure;
        }
        return result();
    }

    /**
     * Returns a separate future. Only the call itself determines when it has ended, since only the call writes to
     * borrowed arrays.
     */
    @Override
    public CompletableFuture<R> toCompletableFuture() {
        CallFuture<R> future;
        synchronized (this) {
            future = new CallFuture<>(this, futures);
            futures = future;
        }
        if (isDone()) {
            tell();
        }
        return future;
    }

    @Override
    public boolean cancel() {
        synchronized (this) {
            if (merge == null) {
                return false;
            }
            over();
        }
        try {
            client.ended(this);
        } finally {
            complete(new Failure(place(-1, new PsException(PsException.Code.CANCELLED, "the call was given up"))));
            tell();
        }
        return true;
    }

    private PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return place(-1, new PsException(PsException.Code.CANCELLED, "interrupted while waiting", e));
    }
}
