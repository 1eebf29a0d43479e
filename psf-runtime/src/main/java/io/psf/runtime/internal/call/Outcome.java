package io.psf.runtime.internal.call;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call: the threads that block until it is there, and the futures that receive it. It is a superclass
 * of {@link Call}, and not a part of it, so that a call is one object.
 *
 * @param <R> the response
 */
abstract class Outcome<R> implements Pending<R>, BooleanSupplier {
    @SuppressWarnings("rawtypes") // there are no generic class literals
    private static final AtomicReferenceFieldUpdater<Outcome, Thread> WAITER =
            AtomicReferenceFieldUpdater.newUpdater(Outcome.class, Thread.class, "waiter");

    private static final Duration LONGEST = Duration.ofDays(24);

    /** The first thread that blocks in {@code await}; it may read the answers itself. */
    private volatile @Nullable Thread waiter;

    /** The latest of the futures that the caller requested; each links to the previous future. */
    private volatile @Nullable CallFuture<R> futures;

    /** The result, or a {@link Failure}; null until the call has ended. Written once. */
    private volatile @Nullable Object value;

    /** True if a thread besides the waiter has blocked in {@code await}. */
    private volatile boolean hasFollowers;

    /** True if the caller has been given the failure of the call. */
    private volatile boolean observed;

    /** The outcome of a call that failed. */
    private record Failure(PsException cause) {}

    /** True if nodes have to answer it. */
    abstract boolean isOfNodes();

    /**
     * Blocks until the call has ended or a time has passed; may return early. Reads what arrives for this node
     * meanwhile.
     */
    abstract void poll(long until) throws InterruptedException;

    /** Throws {@link IllegalStateException} if the call has still to be sent by its caller. */
    abstract void requireSent();

    /** Returns the description of the function. */
    public abstract FunctionInfo info();

    /**
     * Adds to an error where it happened.
     *
     * @param part -1 if the error belongs to no particular part
     */
    abstract PsException place(int part, PsException cause);

    /** Called when a thread is given the failure of the call. */
    abstract void failureObserved();

    /** Publishes a result. Called once, by the thread that has ended the call. */
    final void succeed(R result) {
        publish(result);
    }

    /** Publishes a failure. Called once, by the thread that has ended the call. */
    final void fail(PsException cause) {
        publish(new Failure(cause));
    }

    private void publish(Object with) {
        value = with;
        Thread thread = waiter;
        if (thread != null && thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
        }
        if (hasFollowers) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** True if the caller has requested futures that have not been completed. */
    final boolean hasFutures() {
        return futures != null;
    }

    /** Completes the futures that the caller requested. Their stages are code of the caller and run on this thread. */
    final void tell() {
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
    final @Nullable PsException failure() {
        return value instanceof Failure failed ? failed.cause : null;
    }

    @SuppressWarnings("unchecked") // a value that is no failure is the result
    private R result() {
        return (R) Objects.requireNonNull(value);
    }

    /** True if the caller has been given the failure of the call. */
    final boolean isObserved() {
        return observed;
    }

    @Override
    public final boolean isDone() {
        return value != null;
    }

    /** True if the call has ended. */
    @Override
    public final boolean getAsBoolean() {
        return isDone();
    }

    /**
     * Blocks until the call has ended or a time has passed. The first thread polls the transport of its node, so that
     * this thread receives the answers of every part. Other threads block until the call has ended.
     *
     * @param until as {@link System#nanoTime} counts
     */
    private void waitUntil(long until) throws InterruptedException {
        if (isDone()) {
            return;
        }
        if (!isOfNodes() || !WAITER.compareAndSet(this, null, Thread.currentThread())) {
            follow(until);
            return;
        }
        try {
            while (!isDone() && until - System.nanoTime() > 0) {
                poll(until);
                if (!isDone()) { // the transport is closed, and the call about to fail
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
    final void awaitEnd() {
        try {
            waitUntil(System.nanoTime() + LONGEST.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public final R await() {
        return await(LONGEST);
    }

    @Override
    public final R await(Duration limit) {
        requireSent();
        try {
            if (!isDone()) {
                waitUntil(System.nanoTime() + (limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos()));
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (!isDone()) {
            throw place(
                    -1, new PsException(PsException.Code.TIMED_OUT, "no answer yet after " + limit.toMillis() + " ms"));
        }
        PsException failure = failure();
        if (failure != null) {
            observed = true;
            failureObserved();
            throw here(failure);
        }
        return result();
    }

    /**
     * Returns a failure with the stack trace of this thread: the trace of the thread that read the answer does not show
     * the call.
     */
    private static PsException here(PsException failure) {
        PsException copy = failure.at(null, null, null, null);
        copy.fillInStackTrace();
        return copy;
    }

    /**
     * Returns a separate future. Only the call itself determines when it has ended, since only the call writes to
     * borrowed arrays.
     */
    @Override
    public final CompletableFuture<R> toCompletableFuture() {
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
    public final String toString() {
        PsException failure = failure();
        return info().name() + ": "
                + (failure != null ? failure.getMessage() : isDone() ? "answered" : "not answered yet");
    }

    private PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return place(-1, new PsException(PsException.Code.CANCELLED, "interrupted while waiting", e));
    }
}
