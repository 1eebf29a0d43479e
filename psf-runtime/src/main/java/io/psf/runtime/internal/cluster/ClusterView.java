package io.psf.runtime.internal.cluster;

import io.psf.api.DeclaredTensor;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.runtime.internal.server.Permits;
import io.psf.runtime.internal.server.node.Declarations;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The latest state of the cluster that a node has received. Thread-safe; reading takes no lock. */
public final class ClusterView implements Declarations {
    /** The most time for which a request waits for the state that it names: far more than a heartbeat takes. */
    private static final long LONGEST_WAIT_SECONDS = 600;

    /** The most requests that wait for a state. All of them wait for a state that is about to come. */
    static final int MOST_WAITING = 1 << 16;

    private volatile ClusterState state;
    private volatile Rules rules;
    private volatile Consumer<Permits> permitted = permits -> {};
    /** Those that wait for a later state. Guarded by this. */
    private final List<AwaitedEpoch> waiting = new ArrayList<>();

    private record AwaitedEpoch(long epoch, CompletableFuture<ClusterState> reached) {}

    ClusterView(ClusterChange whole, @Nullable Rules rules) {
        this.state = ClusterState.NONE.with(whole);
        this.rules = rules == null ? Rules.NONE : rules;
    }

    /** Returns what nodes may call; for a server. */
    Rules rules() {
        return rules;
    }

    /** Sets the receiver of what peers may call, which is told at once. Called before the first heartbeat. */
    public void whenPermitted(Consumer<Permits> receiver) {
        permitted = receiver;
        receiver.accept(rules.permits());
    }

    /** Applies the answer to a heartbeat. */
    void apply(Beat.Response now) {
        apply(now.changes());
        Rules sent = now.rules();
        if (sent != null && sent.version() != rules.version()) {
            rules = sent;
            permitted.accept(sent.permits());
        }
    }

    public ClusterState state() {
        return state;
    }

    /**
     * Applies what the scheduler sent, in order. Differences that are known already, as they come over two ways, are
     * passed over; so are those behind a gap, which the next heartbeat fills.
     */
    void apply(List<ClusterChange> changes) {
        List<AwaitedEpoch> over = new ArrayList<>();
        ClusterState now;
        synchronized (this) {
            now = state;
            for (ClusterChange change : changes) {
                boolean isNext = change.from() == now.epoch() || change.from() == 0;
                if (isNext && change.epoch() > now.epoch()) {
                    now = now.with(change);
                }
            }
            state = now;
            for (Iterator<AwaitedEpoch> i = waiting.iterator(); i.hasNext(); ) {
                AwaitedEpoch each = i.next();
                if (each.epoch <= now.epoch() || each.reached.isDone()) {
                    i.remove();
                    over.add(each);
                }
            }
        }
        for (AwaitedEpoch each : over) {
            each.reached.complete(now);
        }
    }

    /** Returns the first state of an epoch, or a later one, once this node knows it. */
    CompletableFuture<ClusterState> reached(long epoch) {
        synchronized (this) {
            if (state.epoch() >= epoch) {
                return CompletableFuture.completedFuture(state);
            }
            if (waiting.size() >= MOST_WAITING) {
                return CompletableFuture.failedFuture(new PsException(
                        PsException.Code.RESOURCE_EXHAUSTED,
                        "requests that wait for a later state of the cluster: " + (waiting.size() + 1)
                                + ", this one for epoch " + epoch + " (expected: at most " + MOST_WAITING
                                + "; this node has epoch " + state.epoch() + ")"));
            }
            AwaitedEpoch added = new AwaitedEpoch(epoch, new CompletableFuture<>());
            waiting.add(added);
            added.reached.orTimeout(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            return added.reached
                    .whenComplete((now, timeout) -> {
                        if (timeout != null) {
                            forget(added);
                        }
                    })
                    .exceptionally(timeout -> {
                        throw new PsException(
                                PsException.Code.UNAVAILABLE,
                                "state of the cluster: " + state + " after " + LONGEST_WAIT_SECONDS
                                        + " s (expected: epoch " + epoch + ", which the request names)");
                    });
        }
    }

    private synchronized void forget(AwaitedEpoch over) {
        waiting.remove(over);
    }

    @Override
    public CompletableFuture<List<DeclaredTensor>> find(List<TensorId> tensors, long epoch) {
        return reached(epoch)
                .thenApply(now -> tensors.stream().map(id -> require(now, id)).toList());
    }

    /**
     * Returns a tensor of a state.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if it is not declared
     */
    static DeclaredTensor require(ClusterState state, TensorId tensor) {
        DeclaredTensor found = state.tensor(tensor);
        if (found == null) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensor: \"" + tensor + "\" (expected: one that has been initialized"
                            + (state.recovery().dropped().contains(tensor)
                                    ? "; it was dropped with a lost server, since no checkpoint has it: initialize it again"
                                    : "")
                            + ")");
        }
        return found;
    }
}
