package io.psf.runtime.internal.cluster;

import io.psf.api.TensorId;
import io.psf.runtime.internal.cluster.ClusterChange.Nodes;
import io.psf.runtime.internal.cluster.ClusterChange.Placed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The states of a cluster, where they are made: at the scheduler. Used on its lane. */
final class ClusterStates {
    /** The most differences that are kept; a node that is farther behind receives the whole state. */
    static final int KEPT = 1024;

    /** The most tensors and slices in the differences that are kept. */
    static final long KEPT_SIZE = 1 << 18;

    private final ArrayDeque<ClusterChange> changes = new ArrayDeque<>();
    private final Consumer<ClusterChange> record;
    private final Runnable changed;
    private final Timeline timeline = new Timeline(System::currentTimeMillis);
    private ClusterState now;
    /** The tensors and slices in the differences that are kept. */
    private long keptSize;
    /** The state as a whole; null if it has not been asked for. */
    private @Nullable ClusterChange whole;

    /**
     * Begins with a state, without the differences that have led to it.
     *
     * @param record receives every change before the nodes are told of it
     * @param changed called after every change
     */
    ClusterStates(ClusterState first, Consumer<ClusterChange> record, Runnable changed) {
        this.now = first;
        this.record = record;
        this.changed = changed;
    }

    ClusterState now() {
        return now;
    }

    /** Returns what has happened lately. */
    List<Visit.Event> events() {
        return timeline.events();
    }

    /** Returns the state as the difference from none. */
    ClusterChange whole() {
        ClusterChange known = whole;
        if (known == null) {
            known = now.whole();
            whole = known;
        }
        return known;
    }

    /** Answers the heartbeats that wait, though the state has not changed. */
    void tell() {
        changed.run();
    }

    /** Returns the epoch of the next state. */
    long next() {
        return now.epoch() + 1;
    }

    void change(Nodes nodes) {
        change(nodes, List.of(), List.of());
    }

    /** Adds tensors, or places them elsewhere: their layouts have the {@link #next} epoch as their version. */
    void place(List<Placed> tensors) {
        change(null, tensors, List.of());
    }

    void forget(TensorId tensor) {
        change(null, List.of(), List.of(tensor));
    }

    /** Makes a state without nodes and tensors, in the next epoch. */
    void reset() {
        make(new ClusterChange(0, next(), Nodes.NONE, List.of(), List.of()));
    }

    private void change(@Nullable Nodes nodes, List<Placed> placed, List<TensorId> forgotten) {
        make(new ClusterChange(now.epoch(), next(), nodes, placed, forgotten));
    }

    private void make(ClusterChange change) {
        record.accept(change);
        timeline.changed(now, change);
        now = now.with(change);
        whole = null;
        changes.add(change);
        keptSize += size(change);
        while (changes.size() > KEPT || keptSize > KEPT_SIZE && !changes.isEmpty()) {
            keptSize -= size(changes.remove());
        }
        changed.run();
    }

    private static long size(ClusterChange change) {
        return change.forgotten().size()
                + change.placed().stream()
                        .mapToLong(placed -> 1L + placed.slices().servers().size())
                        .sum();
    }

    /** Returns the number of differences that are kept. */
    int kept() {
        return changes.size();
    }

    /** Returns what a node misses that knows the state of an epoch: differences in order, or the whole state. */
    List<ClusterChange> since(long epoch) {
        if (epoch == now.epoch()) {
            return List.of();
        }
        if (epoch <= 0 || epoch > now.epoch() || now.epoch() - epoch > changes.size()) {
            return List.of(whole());
        }
        List<ClusterChange> missed = new ArrayList<>();
        Iterator<ClusterChange> latest = changes.descendingIterator();
        for (long at = now.epoch(); at > epoch; at--) {
            missed.add(latest.next());
        }
        Collections.reverse(missed);
        return missed;
    }
}
