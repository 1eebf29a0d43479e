package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.ClusterChange.Place;
import io.psf.runtime.internal.cluster.JournalEntry.BarrierStep;
import io.psf.runtime.internal.cluster.JournalEntry.Call;
import io.psf.runtime.internal.cluster.JournalEntry.Cluster;
import io.psf.runtime.internal.cluster.JournalEntry.Mark;
import io.psf.runtime.internal.cluster.JournalEntry.Seat;
import io.psf.runtime.internal.cluster.JournalEntry.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the entries of a {@link Journal} amount to: all that a scheduler has to know to go on in the place of the
 * scheduler that wrote them.
 */
final class JournalState {
    /** The most calls that are kept: a node may send the latest calls again. */
    private static final int MOST_CALLS = 1024;

    private @Nullable Cluster cluster;
    private ClusterState state = ClusterState.NONE;
    private final Map<Place, Seat> seats = new LinkedHashMap<>();
    private final Set<Call> ran = new LinkedHashSet<>();
    /** For each worker rank, the calls of the barrier that wait, oldest first. */
    private final Map<Integer, Set<Long>> waiting = new LinkedHashMap<>();
    /** For each worker rank, its latest call of a barrier that has opened. */
    private final Map<Integer, Long> opened = new LinkedHashMap<>();

    private final Set<Integer> counted = new TreeSet<>();
    private int clients;
    private int clientsBefore;
    private long epochBefore;
    private boolean isLoadDue;
    private boolean hasEnded;

    /**
     * Adds an entry.
     *
     * @throws PsException with {@code PROTOCOL} if the entry does not follow the ones before
     */
    void add(JournalEntry.Request entry) {
        if (entry.cluster() != null) {
            cluster = entry.cluster();
            hasEnded = false;
        }
        if (entry.step() != null) {
            add(entry.step());
        }
        add(entry.barrier());
        clients = Math.max(clients, entry.clients());
        isLoadDue &= entry.mark() != Mark.LOADED;
        hasEnded |= entry.mark() == Mark.ENDED;
    }

    private void add(Step step) {
        add(step.change());
        for (Seat seat : step.seats()) {
            if (state.node(seat.role(), seat.rank()) == null) {
                throw new PsException(
                        Code.PROTOCOL,
                        "a seat of " + seat.role().label() + " " + seat.rank() + " (expected: of a node of the state)");
            }
            seats.put(new Place(seat.role(), seat.rank()), seat);
        }
        for (Call call : step.ran()) {
            ran.add(call);
            if (ran.size() > MOST_CALLS) {
                ran.remove(ran.iterator().next());
            }
        }
    }

    private void add(ClusterChange change) {
        if (change.from() != 0 && change.from() != state.epoch() || change.epoch() <= state.epoch()) {
            throw new PsException(
                    Code.PROTOCOL,
                    "a change from epoch " + change.from() + " to " + change.epoch() + " (expected: from "
                            + state.epoch() + ")");
        }
        boolean isWhole = change.from() == 0;
        state = state.with(change);
        if (isWhole) { // a new cluster, or the beginning of a file, whose entry says whether the cluster has ended
            hasEnded = false;
            seats.clear();
            waiting.clear();
            opened.clear();
            counted.clear();
        }
        ClusterChange.Nodes nodes = change.nodes();
        if (nodes == null) {
            return;
        }
        nodes.gone().forEach(seats::remove);
        Stream.concat(nodes.gone().stream(), nodes.lost().stream().map(loss -> Place.of(loss.member())))
                .filter(place -> place.role() == Role.WORKER && !state.counts(place.rank()))
                .forEach(place -> forget(place.rank()));
        nodes.joined().forEach(node -> {
            seats.remove(Place.of(node.member()));
            if (node.member().role() == Role.WORKER) {
                forget(node.member().rank());
            }
        });
        long rollback = state.recovery().rollback();
        if (rollback == change.epoch()) {
            waiting.clear();
            counted.clear();
        }
        isLoadDue |= rollback == change.epoch() || isWhole && rollback > 0;
    }

    /** Forgets the calls of a worker that is gone. */
    private void forget(int worker) {
        waiting.remove(worker);
        opened.remove(worker);
        counted.remove(worker);
    }

    private void add(BarrierStep step) {
        for (Call call : step.opened()) {
            opened.put(call.worker(), call.call());
            drop(call);
            counted.clear();
        }
        step.dropped().forEach(this::drop);
        if (waiting.isEmpty()) {
            counted.clear();
        }
        for (Call call : step.called()) {
            waiting.computeIfAbsent(call.worker(), worker -> new TreeSet<>()).add(call.call());
        }
        counted.addAll(step.counted());
    }

    private void drop(Call call) {
        waiting.computeIfPresent(call.worker(), (worker, calls) -> {
            calls.remove(call.call());
            return calls.isEmpty() ? null : calls;
        });
    }

    /** Returns all of it as one entry. */
    JournalEntry.Request whole() {
        Mark mark = isLoadDue ? Mark.NONE : Mark.LOADED;
        return new JournalEntry.Request(
                cluster,
                state.epoch() == 0 ? null : new Step(state.whole(), List.copyOf(seats.values()), List.copyOf(ran)),
                barrier(),
                clients,
                hasEnded ? Mark.ENDED : mark);
    }

    /** Returns the identity of the cluster; null before the first entry. */
    @Nullable
    Cluster cluster() {
        return cluster;
    }

    ClusterState state() {
        return state;
    }

    /** Returns the seat of a node of the state. */
    Seat seat(ClusterChange.Node node) {
        Seat seat = seats.get(Place.of(node.member()));
        if (seat == null) {
            throw new PsException(Code.PROTOCOL, "no seat of " + node.member() + " (expected: one for each node)");
        }
        return seat;
    }

    /**
     * Returns the calls of the barrier that wait, the workers that it waits for, and each worker's latest call that
     * waits no more.
     */
    BarrierStep barrier() {
        List<Call> called = new ArrayList<>();
        waiting.forEach((worker, calls) -> calls.forEach(call -> called.add(new Call(worker, call))));
        List<Call> through = new ArrayList<>();
        opened.forEach((worker, call) -> through.add(new Call(worker, call)));
        return new BarrierStep(called, List.copyOf(counted), through, List.of());
    }

    /** True if a call has run whose effect is in the state. */
    boolean hasRun(Call call) {
        return ran.contains(call);
    }

    /** Returns a number above the number of every client. */
    int clients() {
        return clients;
    }

    /** Takes what there is for what an earlier scheduler has left. */
    void take() {
        clientsBefore = clients;
        epochBefore = state.epoch();
    }

    /** Returns the epoch of the state that an earlier scheduler has left. */
    long epochBefore() {
        return epochBefore;
    }

    /** Returns a number above the number of every client of an earlier scheduler. */
    int clientsBefore() {
        return clientsBefore;
    }

    /** True if the workers have not yet loaded the checkpoint that the last rollback requires. */
    boolean isLoadDue() {
        return isLoadDue;
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /** True if there is a cluster to go on with: nodes that have joined, and not left. */
    boolean hasNodes() {
        return !state.nodes().isEmpty();
    }
}
