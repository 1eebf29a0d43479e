package io.psf.runtime.call;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TensorLayout;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.RequestHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
public final class Call<R> extends CompletableFuture<R> implements Pending<R>, BooleanSupplier {
    @SuppressWarnings("rawtypes") // there are no generic class literals
    private static final AtomicReferenceFieldUpdater<Call, Thread> WAITER =
            AtomicReferenceFieldUpdater.newUpdater(Call.class, Thread.class, "waiter");

    private static final Duration LONGEST = Duration.ofDays(24);

    /** After the first failure of a slice, the time that the other slices have to report their failures. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The most slices whose errors are reported; the others are counted. */
    private static final int MOST_NAMED = 3;

    /**
     * For answers of at least this many bytes the server is told at once that the call is done, so that it releases its
     * copy.
     */
    private static final int LARGE = 1 << 16;

    /** Reused by each thread to read one answer after another. */
    private static final ThreadLocal<TupleReader> READERS = ThreadLocal.withInitial(TupleReader::new);

    /** Stored in {@code sent} instead of the last send: the answer of the part has arrived. */
    private static final int ANSWERED = -1;

    private final Client client;
    /** The number of the call; 0 until the call is outstanding. */
    private long id;

    private final Function<Object, R> function;
    private final @Nullable TensorLayout layout;
    private final Routing routing;
    private final Peer[] peers;
    private final CallLimits limits;
    private final long deadline;
    /**
     * By part: the epoch of the peer's channel that it was last sent over, times 256, plus the number of sends; or
     * {@link #ANSWERED}.
     */
    private final int[] sent;

    private int missing;
    /**
     * The errors of the first parts that failed, sorted, so that they are reported in the order of the slices; null if
     * no part has failed.
     */
    private @Nullable TreeMap<Integer, PsException> errors;
    /** The number of failed parts that are not in {@code errors}. */
    private int unnamed;

    private long failBy;
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

    private volatile boolean held;
    private volatile boolean observed;

    @SuppressWarnings("unchecked") // the function and its request
    <Q> Call(
            Client client,
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            @Nullable TensorLayout layout,
            Routing routing,
            Peer[] peers,
            CallLimits limits) {
        this.client = client;
        this.function = (Function<Object, R>) function;
        this.request = request;
        this.layout = layout;
        this.routing = routing;
        this.merge = function.merge(request, routing, into);
        this.peers = peers;
        this.limits = limits;
        this.deadline = System.nanoTime() + limits.timeoutNanos();
        this.missing = peers.length;
        this.sent = new int[peers.length];
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
        return layout == null ? null : layout.info().id();
    }

    /** True if it runs on the shards of the tensor or has keys of the tensor. */
    boolean concerns(TensorId tensor) {
        return routing.concerns(tensor);
    }

    /** Returns the layouts of the other tensors, besides the one that it runs on, whose keys it has. */
    List<TensorLayout> others() {
        return routing.others();
    }

    int parts() {
        return peers.length;
    }

    Peer peer(int part) {
        return peers[part];
    }

    int slice(int part) {
        return routing.slice(part);
    }

    CallLimits limits() {
        return limits;
    }

    long deadline() {
        return deadline;
    }

    /** True if it goes to the same slice numbers on the same nodes and lanes as another call. */
    public boolean isPlacedAs(Call<?> other) {
        if (layout != null && other.layout != null) {
            return layout.meets(other.layout);
        }
        return layout == null && other.layout == null && Arrays.equals(peers, other.peers);
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
        if (!isUnsent(part, epoch)) {
            return false;
        }
        sent[part] = epoch << 8 | Math.min(255, (sent[part] & 255) + 1);
        return true;
    }

    private boolean isUnsent(int part, int epoch) {
        return merge != null && sent[part] != ANSWERED && sent[part] >>> 8 != epoch;
    }

    /** True if a part for the peer has not been sent over the channel of that epoch and still has to be. */
    synchronized boolean waitsFor(Peer peer, int epoch) {
        for (int part = 0; part < sent.length; part++) {
            if (peers[part] == peer && isUnsent(part, epoch)) {
                return true;
            }
        }
        return false;
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
            function.write(request, routing, part, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(request, PsException.Code.BAD_REQUEST, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(request, PsException.Code.BAD_REQUEST, e);
        }
        return true;
    }

    /** Returns the header of a part of the request. */
    RequestHeader header(int part) {
        int slice = routing.slice(part);
        RequestHeader.Target target = layout == null
                ? new RequestHeader.Target(0, slice, (short) 0)
                : new RequestHeader.Target(
                        layout.info().id().number(), slice, TensorLayout.stamp(layout.info(), layout.range(slice)));
        return new RequestHeader(
                peers[part].named(function.info()), target, id, millisLeft(), attempt(part), limits.priority());
    }

    /**
     * Returns how many times a part may have been sent before. If its answer has arrived in the meantime, the number
     * may be too high, but is never 0.
     */
    private synchronized int attempt(int part) {
        return (sent[part] & 255) - 1;
    }

    /** Returns the milliseconds until the deadline, at least 1, as a request carries them. */
    private int millisLeft() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(left, Integer.MAX_VALUE));
    }

    /** Returns the part that the peer answers for a slice; -1 if none. */
    int part(int slice, @Nullable Peer peer) {
        int part = routing.part(slice);
        return part >= 0 && peers[part] == peer ? part : -1;
    }

    /**
     * Takes ownership of the answer to one part, merges it and releases the frame. Ends the call if it is the last one.
     */
    void answered(int part, Frame frame) {
        Merge<R> whole = null;
        try {
            synchronized (this) {
                Merge<R> merge = this.merge;
                if (merge == null || part < 0 || sent[part] == ANSWERED) {
                    return;
                }
                large |= frame.length() >= LARGE;
                if (frame.status() != PsException.Code.OK) {
                    throw new PsException(frame.status(), frame.reader(null).string());
                }
                merge.add(part, frame.reader(READERS.get(), null));
                arrived(part);
                if (missing == 0 && errors == null) {
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
            for (; part < peers.length; part++) {
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
            wake();
            try {
                client.ended(this);
            } finally {
                tell();
            }
        }
    }

    private void arrived(int part) {
        sent[part] = ANSWERED;
        missing--;
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
     * Records the error of a part. The call ends when the other parts have been answered or after {@link #GRACE_NANOS},
     * so that the errors of several slices are reported together.
     */
    void fail(int part, PsException cause) {
        synchronized (this) {
            if (merge == null || sent[part] == ANSWERED) {
                return;
            }
            arrived(part);
            note(part, cause);
        }
        failIfAllHaveAnswered();
    }

    private void note(int part, PsException cause) {
        if (errors == null) {
            errors = new TreeMap<>();
            failBy = System.nanoTime() + GRACE_NANOS;
        }
        if (errors.size() < MOST_NAMED || part < errors.lastKey()) {
            errors.put(part, place(part, cause));
        } else {
            unnamed++;
        }
        if (errors.size() > MOST_NAMED) {
            errors.pollLastEntry();
            unnamed++;
        }
    }

    private void failIfAllHaveAnswered() {
        PsException failure;
        synchronized (this) {
            if (merge == null || errors == null || missing > 0) {
                return;
            }
            failure = together(errors.values(), unnamed);
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
            completeExceptionally(failure);
            wake();
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
        R result = null;
        PsException failure = null;
        try {
            result = join();
        } catch (CancellationException e) {
            failure = givenUp(e);
        } catch (CompletionException e) {
            failure = e.getCause() instanceof PsException known
                    ? known
                    : new PsException(PsException.Code.INTERNAL, String.valueOf(e.getCause()), e);
        }
        for (CallFuture<R> each = first; each != null; each = each.next()) {
            each.end(result, failure);
        }
    }

    private void wake() {
        Thread thread = waiter;
        if (thread != null && thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
        }
    }

    private PsException place(int part, PsException cause) {
        return cause.at(
                function.info().name(),
                name(tensor()),
                part >= 0 && layout != null ? layout.range(routing.slice(part)).toString() : null,
                part >= 0 ? peers[part].name() : null);
    }

    /**
     * Returns the first error, extended by those of the other slices.
     *
     * @param unnamed the number of errors that are not in the list
     */
    private static PsException together(Collection<PsException> inOrder, int unnamed) {
        List<PsException> errors = List.copyOf(inOrder);
        PsException first = errors.get(0);
        if (errors.size() == 1) {
            return first;
        }
        StringJoiner others = new StringJoiner("; ", "; also ", "");
        for (PsException other : errors.subList(1, errors.size())) {
            String where = (other.slice() == null ? "" : "slice " + other.slice() + ", ") + other.server();
            boolean same = other.code() == first.code() && other.detail().equals(first.detail());
            others.add(same ? where : other.code() + ": " + other.detail() + ", " + where);
        }
        if (unnamed > 0) {
            others.add("and " + unnamed + " more");
        }
        PsException all = new PsException(first.code(), first.detail())
                .at(first.function(), first.tensor(), first.slice(), first.server() + others);
        errors.forEach(all::addSuppressed);
        return all;
    }

    /** Fails the parts that a lost node has not answered. */
    void peerLost(Peer peer, PsException cause) {
        for (int part = 0; part < peers.length; part++) {
            if (peers[part] == peer) {
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
            TreeMap<Integer, PsException> errors = this.errors;
            boolean overdue = now - deadline >= 0;
            if (merge == null || !overdue && (errors == null || now - failBy < 0)) {
                return;
            }
            failure = errors != null
                    ? together(errors.values(), unnamed)
                    : together(late(), Math.max(0, missing - MOST_NAMED));
            over();
        }
        end(failure);
    }

    /** Returns timeout errors for the first slices whose answers are missing. */
    private List<PsException> late() {
        if (missing == 0) {
            return List.of(place(
                    -1,
                    new PsException(
                            PsException.Code.TIMED_OUT,
                            "the caller's own merge, finish or record not over after "
                                    + TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos()) + " ms")));
        }
        PsException late = new PsException(
                PsException.Code.TIMED_OUT,
                missing + " of " + peers.length + " answers missing after "
                        + TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos()) + " ms");
        List<PsException> errors = new ArrayList<>();
        for (int part = 0; part < sent.length && errors.size() < MOST_NAMED; part++) {
            if (sent[part] != ANSWERED) {
                errors.add(place(part, late));
            }
        }
        return errors;
    }

    /** True if an answer was large. Valid once the call has ended. */
    boolean isLarge() {
        return large;
    }

    /** True if the answer of a part has arrived. Valid once the call has ended. */
    boolean isAnswered(int part) {
        return sent[part] == ANSWERED;
    }

    /** True if the caller has been given the outcome of the call. */
    boolean isObserved() {
        return observed;
    }

    /** True if it has ended. */
    @Override
    public boolean getAsBoolean() {
        return isDone();
    }

    /**
     * Blocks until the call has ended or the deadline has passed, and may poll the channel meanwhile. Returns at once
     * if another thread is the waiter; this one then blocks in {@code get}.
     */
    private void waitUntil(long until) throws InterruptedException {
        if (isDone() || peers.length == 0 || !WAITER.compareAndSet(this, null, Thread.currentThread())) {
            return;
        }
        try {
            while (!isDone() && until - System.nanoTime() > 0) {
                peers[0].channel().await(this, until);
                if (!isDone()) { // the channel is closed and may be replaced by another one
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
        } finally {
            waiter = null;
        }
    }

    /** Blocks until the call has ended, with a result or without. */
    void awaitEnd() {
        try {
            waitUntil(System.nanoTime() + LONGEST.toNanos());
            get();
        } catch (ExecutionException | CancellationException e) {
            // The failure is in the list of failures, or the call was cancelled.
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
        requireSent();
        try {
            waitUntil(System.nanoTime() + LONGEST.toNanos());
            R result = get();
            observed = true;
            return result;
        } catch (ExecutionException e) {
            throw observe(e);
        } catch (CancellationException e) {
            throw givenUp(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public R await(Duration limit) {
        requireSent();
        long until = System.nanoTime() + (limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos());
        try {
            waitUntil(until);
            R result = get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            observed = true;
            return result;
        } catch (ExecutionException e) {
            throw observe(e);
        } catch (CancellationException e) {
            throw givenUp(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (TimeoutException e) {
            throw new PsException(PsException.Code.TIMED_OUT, "no answer yet after " + limit.toMillis() + " ms", e)
                    .at(function.info().name(), name(tensor()), null, null);
        }
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
        return cancel(false);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        synchronized (this) {
            if (merge == null) {
                return false;
            }
            over();
        }
        try {
            client.ended(this);
        } finally {
            super.cancel(mayInterruptIfRunning);
            wake();
            tell();
        }
        return true;
    }

    private PsException observe(ExecutionException e) {
        observed = true;
        client.observed(this);
        return e.getCause() instanceof PsException cause
                ? cause
                : new PsException(PsException.Code.INTERNAL, String.valueOf(e.getCause()), e);
    }

    private PsException givenUp(CancellationException e) {
        return place(-1, new PsException(PsException.Code.CANCELLED, "the call was given up", e));
    }

    private PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PsException(PsException.Code.CANCELLED, "interrupted while waiting", e)
                .at(function.info().name(), name(tensor()), null, null);
    }

    private static @Nullable String name(@Nullable TensorId tensor) {
        return tensor == null ? null : tensor.name();
    }
}
