package io.psf.runtime.call;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import java.time.Duration;
import java.util.BitSet;
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
    private final Client client;
    private final long id;
    private final Function<?, R> function;
    private final @Nullable TensorId tensor;
    private final Routing routing;
    private final Merge<R> merge;
    private final Peer[] peers;
    private final String @Nullable [] slices;
    private final long deadline;
    private final long timeoutMillis;
    private final boolean background;
    private final BitSet missing;
    private boolean ended;
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
        this.routing = routing;
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
        int low = 0;
        int high = peers.length - 1;
        while (low <= high) {
            int part = (low + high) >>> 1;
            int at = routing.slice(part);
            if (at == slice) {
                return peers[part] == peer ? part : -1;
            } else if (at < slice) {
                low = part + 1;
            } else {
                high = part - 1;
            }
        }
        return -1;
    }

    /** Takes over the answer of one part. */
    void answered(int part, Frame frame) {
        R result = null;
        try {
            synchronized (this) {
                if (ended || part < 0 || !missing.get(part)) {
                    return;
                }
                if (frame.status() != PsException.Code.OK) {
                    throw new PsException(frame.status(), frame.reader(null).string());
                }
                merge.add(part, frame.reader(null));
                missing.clear(part);
                if (missing.isEmpty()) {
                    result = merge.result();
                    ended = true;
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
            client.ended(this);
            complete(result);
        }
    }

    /** Ends a call that touches nothing. */
    void answeredByNobody() {
        complete(merge.result());
    }

    /** Ends the call with an error of a part; -1 for none in particular. */
    void fail(int part, PsException cause) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        String slice = part >= 0 && slices != null ? slices[part] : null;
        String server = part >= 0 ? peers[part].name() : null;
        client.failed(this);
        completeExceptionally(cause.at(function.info().name(), tensor == null ? null : tensor.name(), slice, server));
    }

    /** Ends the call if a node that still has to answer is lost. */
    void peerLost(Peer peer, PsException cause) {
        int lost = -1;
        synchronized (this) {
            for (int part = missing.nextSetBit(0); part >= 0 && lost < 0; part = missing.nextSetBit(part + 1)) {
                lost = peers[part] == peer ? part : -1;
            }
        }
        if (lost >= 0) {
            fail(lost, cause);
        }
    }

    /** Ends the call if its deadline has passed. */
    void expire(long now) {
        if (now - deadline < 0) {
            return;
        }
        int part;
        int left;
        synchronized (this) {
            part = missing.nextSetBit(0);
            left = missing.cardinality();
        }
        fail(
                part,
                new PsException(
                        PsException.Code.TIMED_OUT,
                        left + " of " + peers.length + " answers missing after " + timeoutMillis + " ms"));
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
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public R await(Duration limit) {
        try {
            R result = get(limit.toNanos(), TimeUnit.NANOSECONDS);
            observed = true;
            return result;
        } catch (ExecutionException e) {
            throw observe(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (TimeoutException e) {
            throw new PsException(PsException.Code.TIMED_OUT, "no answer yet after " + limit.toMillis() + " ms", e)
                    .at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
        }
        client.ended(this);
        return super.cancel(mayInterruptIfRunning);
    }

    private PsException observe(ExecutionException e) {
        observed = true;
        client.observed(this);
        return e.getCause() instanceof PsException cause
                ? cause
                : new PsException(PsException.Code.INTERNAL, String.valueOf(e.getCause()), e);
    }

    private PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PsException(PsException.Code.CANCELLED, "interrupted while waiting", e)
                .at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
    }
}
