package io.psf.runtime.call;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call under way: what of its answers is still missing, and where they are merged. Once it has ended, nothing is
 * written to the caller's arrays any more.
 *
 * @param <R> the response
 */
public final class Call<R> extends CompletableFuture<R> implements Pending<R> {
    private static final Duration LONGEST = Duration.ofDays(24);

    /** How long the other slices have, once one has failed, to say that they have failed too. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Client client;
    private final long id;
    private final Function<?, R> function;
    private final @Nullable TensorId tensor;
    private final int[] sliceOf;
    private final Peer[] peers;
    private final String @Nullable [] slices;
    private final long deadline;
    private final long timeoutMillis;
    private final boolean background;
    private final BitSet missing;
    /** By part, so that they are told in the order of the slices. */
    private final TreeMap<Integer, PsException> errors = new TreeMap<>();

    private long failBy;

    /** Where the answers go; null once the call has ended. */
    private @Nullable Merge<R> merge;

    private volatile boolean observed;

    Call(
            Client client,
            long id,
            Function<?, R> function,
            @Nullable TensorId tensor,
            Routing routing,
            Merge<R> merge,
            Peer[] peers,
            String @Nullable [] slices,
            long timeoutNanos,
            boolean background) {
        this.client = client;
        this.id = id;
        this.function = function;
        this.tensor = tensor;
        this.sliceOf = new int[peers.length];
        Arrays.setAll(sliceOf, routing::slice);
        this.merge = merge;
        this.peers = peers;
        this.slices = slices;
        this.deadline = System.nanoTime() + timeoutNanos;
        this.timeoutMillis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
        this.background = background;
        this.missing = new BitSet(peers.length);
        missing.set(0, peers.length);
    }

    long id() {
        return id;
    }

    @Nullable
    TensorId tensor() {
        return tensor;
    }

    /** Whether nobody waits for it who waits for everything. */
    boolean isBackground() {
        return background;
    }

    long deadline() {
        return deadline;
    }

    /** Milliseconds left, at least 1, as a request carries them. */
    int millisLeft() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(left, Integer.MAX_VALUE));
    }

    /** The part whose answer comes from a peer for a slice; -1 for none. */
    int part(int slice, @Nullable Peer peer) {
        int part = Arrays.binarySearch(sliceOf, slice);
        return part >= 0 && peers[part] == peer ? part : -1;
    }

    /** Takes over the answer of one part. */
    void answered(int part, Frame frame) {
        R result = null;
        try {
            synchronized (this) {
                Merge<R> merge = this.merge;
                if (merge == null || part < 0 || !missing.get(part)) {
                    return;
                }
                if (frame.status() != PsException.Code.OK) {
                    throw new PsException(frame.status(), frame.reader(null).string());
                }
                merge.add(part, frame.reader(null));
                if (missing.cardinality() == 1 && errors.isEmpty()) {
                    result = merge.result();
                }
                missing.clear(part);
                if (result != null) {
                    this.merge = null;
                }
            }
        } catch (PsException e) {
            fail(part, e);
            return;
        } catch (RuntimeException e) {
            fail(part, new PsException(PsException.Code.INTERNAL, "merging the answers: " + e, e));
            return;
        } finally {
            frame.release();
        }
        if (result != null) {
            complete(result);
            client.ended(this);
        } else {
            failIfAllHaveAnswered();
        }
    }

    /** Ends a call that touches nothing. */
    void answeredByNobody() {
        Merge<R> merge = this.merge;
        if (merge != null) {
            complete(merge.result());
        }
    }

    /**
     * Notes the error of a part. The call ends when the others have answered too, or soon, so that the errors of several
     * slices are told together.
     */
    void fail(int part, PsException cause) {
        synchronized (this) {
            if (merge == null || !missing.get(part)) {
                return;
            }
            missing.clear(part);
            errors.put(part, place(part, cause));
            if (errors.size() == 1) {
                failBy = System.nanoTime() + GRACE_NANOS;
            }
        }
        failIfAllHaveAnswered();
    }

    private void failIfAllHaveAnswered() {
        PsException failure;
        synchronized (this) {
            if (merge == null || errors.isEmpty() || !missing.isEmpty()) {
                return;
            }
            failure = together();
            merge = null;
        }
        end(failure);
    }

    /** Ends the call at once with an error of a part; -1 for none in particular. */
    void failAtOnce(int part, PsException cause) {
        synchronized (this) {
            if (merge == null) {
                return;
            }
            merge = null;
        }
        end(place(part, cause));
    }

    private void end(PsException failure) {
        client.failed(this, failure);
        completeExceptionally(failure);
        client.ended(this);
    }

    private PsException place(int part, PsException cause) {
        return cause.at(
                function.info().name(),
                tensor == null ? null : tensor.name(),
                part >= 0 && slices != null ? slices[part] : null,
                part >= 0 ? peers[part].name() : null);
    }

    /** The first error, with what the other slices said. */
    private PsException together() {
        PsException first = errors.firstEntry().getValue();
        if (errors.size() == 1) {
            return first;
        }
        StringJoiner others = new StringJoiner("; ", "; also ", "");
        for (PsException other : errors.tailMap(errors.firstKey(), false).values()) {
            String where = (other.slice() == null ? "" : "slice " + other.slice() + ", ") + other.server();
            boolean same = other.code() == first.code() && other.detail().equals(first.detail());
            others.add(same ? where : other.code() + ": " + other.detail() + ", " + where);
        }
        PsException all = new PsException(first.code(), first.detail())
                .at(first.function(), first.tensor(), first.slice(), first.server() + others);
        errors.values().forEach(all::addSuppressed);
        return all;
    }

    /** Notes that a node is lost that still has to answer. */
    void peerLost(Peer peer, PsException cause) {
        BitSet lost = new BitSet();
        synchronized (this) {
            missing.stream().filter(part -> peers[part] == peer).forEach(lost::set);
        }
        lost.stream().forEach(part -> fail(part, cause));
    }

    /** Ends the call if its deadline has passed, or if it has failed and the others have had their time to answer. */
    void expire(long now) {
        PsException failure;
        synchronized (this) {
            boolean overdue = now - deadline >= 0;
            boolean failed = !errors.isEmpty() && now - failBy >= 0;
            if (merge == null || !overdue && !failed) {
                return;
            }
            failure = failed || !errors.isEmpty()
                    ? together()
                    : place(
                            missing.nextSetBit(0),
                            new PsException(
                                    PsException.Code.TIMED_OUT,
                                    missing.cardinality() + " of " + peers.length + " answers missing after "
                                            + timeoutMillis + " ms"));
            merge = null;
        }
        end(failure);
    }

    /** Whether the caller has seen how the call ended. */
    boolean isObserved() {
        return observed;
    }

    /** Waits until the call has ended, however. */
    void awaitEnd() {
        try {
            get();
        } catch (ExecutionException | CancellationException e) {
            // It is among the failures, or was given up.
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public R await() {
        try {
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
        try {
            R result = get(limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos(), TimeUnit.NANOSECONDS);
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
                    .at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    /** A copy: whoever completes it or gives it a limit does not end the call, which alone writes to borrowed arrays. */
    @Override
    public CompletableFuture<R> toCompletableFuture() {
        return copy();
    }

    @Override
    public boolean cancel() {
        return cancel(false);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Set<Peer> waitedFor = new HashSet<>();
        synchronized (this) {
            if (merge == null) {
                return false;
            }
            merge = null;
            missing.stream().forEach(part -> waitedFor.add(peers[part]));
        }
        client.cancelled(this, function.info().id(), waitedFor);
        return super.cancel(mayInterruptIfRunning);
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
                .at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
    }
}
