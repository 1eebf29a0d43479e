package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.ClusterChange.Loss;
import io.psf.runtime.internal.cluster.ClusterChange.Model;
import io.psf.runtime.internal.cluster.ClusterChange.Nodes;
import io.psf.runtime.internal.cluster.ClusterChange.Place;
import io.psf.runtime.internal.cluster.ClusterChange.Recovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler's rules for nodes that take the places of lost ones: which nodes are awaited and for how long, which
 * node takes the place of a lost server, and when all workers have to load a checkpoint. Used on the scheduler's lane.
 */
final class Returns {
    private static final Logger LOG = LoggerFactory.getLogger(Returns.class);

    /** The most models of whose checkpoints slices are loaded: each is in every state of the cluster. */
    static final int MOST_MODELS = 1000;

    private final ClusterPlan plan;
    private final MemberTable table;
    private final ClusterStates states;
    private final Journal journal;
    /** The times at which nodes are awaited no longer. */
    private final Map<Place, Long> until = new HashMap<>();
    /** True if the workers, or a client, have not yet loaded the checkpoint that the last rollback requires. */
    private boolean isLoadDue;

    /** Begins with the losses of the states, and with what the journal has of a load that is due. */
    Returns(ClusterPlan plan, MemberTable table, ClusterStates states, Journal journal) {
        this.plan = plan;
        this.table = table;
        this.states = states;
        this.journal = journal;
        this.isLoadDue = journal.state().isLoadDue();
        states.now().lost().stream().filter(Loss::awaited).forEach(loss -> await(loss.member()));
    }

    /** Begins the time within which a node has to come back. */
    private void await(Member node) {
        until.put(Place.of(node), plan.now() + plan.returnOf(node.role()).toNanos());
    }

    /**
     * Returns the loss of a node. A server is awaited if there is a checkpoint that its slices can be loaded from, and
     * in a service, whose clients make anew what none has; a worker, if all workers go back to one when it comes back.
     */
    Loss loss(Member member, String reason) {
        Duration limit = plan.returnOf(member.role());
        Recovery recovery = states.now().recovery();
        boolean awaited = !limit.isZero()
                && (member.role() == Role.SERVER
                        ? plan.service() || !recovery.models().isEmpty()
                        : recovery.isExact());
        if (awaited) {
            await(member);
            LOG.info("{} is awaited for {} ms", member, limit.toMillis());
        }
        return new Loss(member, reason, awaited);
    }

    /**
     * True if the job has workers: some are present, or awaited.
     *
     * @param changed losses that are new, or in the place of earlier ones
     */
    boolean hasWorkers(List<Loss> changed) {
        Set<Place> over = new HashSet<>();
        changed.forEach(loss -> over.add(Place.of(loss.member())));
        return table.present().stream().anyMatch(entry -> entry.role() == Role.WORKER)
                || changed.stream().anyMatch(Loss::isOfAwaitedWorker)
                || states.now().lost().stream()
                        .anyMatch(loss -> loss.isOfAwaitedWorker() && !over.contains(Place.of(loss.member())));
    }

    /**
     * Returns the losses that no longer count.
     *
     * @param back the nodes that have come back
     * @param begins true if a job begins: the lost workers belonged to an earlier job
     */
    private List<Place> settled(Collection<MemberEntry> back, boolean begins) {
        Set<Place> places = new HashSet<>();
        for (MemberEntry entry : back) {
            places.add(entry.place());
            until.remove(entry.place());
        }
        return states.now().lost().stream()
                .filter(loss ->
                        begins && loss.member().role() == Role.WORKER || places.contains(Place.of(loss.member())))
                .map(loss -> Place.of(loss.member()))
                .toList();
    }

    /**
     * Returns the difference of nodes that join.
     *
     * @param begins true if a job begins
     * @param owners as {@link Nodes} has them
     * @param recovery as {@link Nodes} has it
     */
    Nodes joined(List<MemberEntry> newcomers, boolean begins, List<Integer> owners, @Nullable Recovery recovery) {
        List<ClusterChange.Node> nodes =
                newcomers.stream().map(MemberEntry::node).toList();
        return new Nodes(nodes, List.of(), List.of(), settled(newcomers, begins), owners, recovery);
    }

    /** Returns why a job ended badly whose servers were lost and did not come back; null if there are none. */
    @Nullable
    PsException failure() {
        return failure(states.now().lost(), Role.SERVER);
    }

    /**
     * Returns why a job ended badly with these losses; null if none of them is of a worker, so that the last one has
     * left.
     */
    static @Nullable PsException lostWorker(List<Loss> last) {
        return failure(last, Role.WORKER);
    }

    private static @Nullable PsException failure(List<Loss> lost, Role role) {
        return lost.stream()
                .filter(loss -> loss.member().role() == role)
                .findFirst()
                .map(loss -> new PsException(Code.UNAVAILABLE, "lost " + loss.member() + ": " + loss.reason()))
                .orElse(null);
    }

    /** Returns the losses, of which those are final whose nodes have not come back in time. */
    List<Loss> expired(long now) {
        List<Loss> losses = new ArrayList<>();
        for (Loss loss : states.now().lost()) {
            Long limit = loss.awaited() ? until.get(Place.of(loss.member())) : null;
            if (limit != null && now - limit > 0) {
                until.remove(Place.of(loss.member()));
                Role role = loss.member().role();
                Loss over = new Loss(
                        loss.member(),
                        loss.reason() + ", and no " + role.label() + " came in its place within "
                                + plan.returnOf(role).toMillis() + " ms",
                        false);
                LOG.warn("lost {} has not come back: {}", over.member(), over.reason());
                losses.add(over);
            }
        }
        return losses;
    }

    /**
     * Gives the waiting servers the ranks of lost ones: to each rank the server that has requested it, else a server
     * that has requested none.
     *
     * @return the servers that have a rank now
     */
    List<MemberEntry> place() {
        List<MemberEntry> placed = new ArrayList<>();
        for (Loss loss : states.now().lost()) {
            int rank = loss.member().rank();
            if (loss.awaited() && loss.member().role() == Role.SERVER && table.of(Role.SERVER, rank) == null) {
                MemberEntry requested = waiting(rank);
                MemberEntry found = requested != null ? requested : waiting(-1);
                if (found != null) {
                    table.rank(found, rank);
                    placed.add(found);
                }
            }
        }
        return placed;
    }

    private @Nullable MemberEntry waiting(int requested) {
        return table.all().stream()
                .filter(entry -> entry.role() == Role.SERVER && entry.rank < 0 && entry.request.rank() == requested)
                .findFirst()
                .orElse(null);
    }

    /**
     * Checks that a server that joins a complete cluster may wait for the place of a lost one.
     *
     * @throws PsException with {@code BAD_REQUEST} if lost servers are not expected back, or enough servers wait
     */
    void requireMayWait(Join.Request request) {
        if (plan.returnOf(Role.SERVER).isZero()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another server: the cluster of " + plan + " is complete (expected: a join while it forms; with"
                            + " PSF_SERVER_RETURN also in the place of a lost server)");
        }
        if (request.rank() >= plan.servers() || table.count(Role.SERVER) >= 2 * plan.servers()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another server" + (request.rank() < 0 ? "" : " of rank " + request.rank()) + ": "
                            + table.count(Role.SERVER) + " are there or wait (expected: ranks below " + plan.servers()
                            + ", and as many that wait at most)");
        }
    }

    /**
     * Returns what happens when nodes come back, after nodes have been admitted. All workers have to load a checkpoint
     * if one of the nodes takes the place of a lost one and the tensors have to be exact; or if they have not loaded it
     * yet, so that the new worker loads it as well. Without workers a client has to, if one of the nodes is a server.
     *
     * @param replaced a worker whose place another one has taken before it counted as lost; null for none
     * @param runs true if the job has workers already
     */
    Recovery after(List<MemberEntry> admitted, @Nullable MemberEntry replaced, boolean runs) {
        ClusterState before = states.now();
        Recovery now = before.recovery();
        boolean takesPlace = admitted.stream()
                .filter(entry -> runs || entry.role() == Role.SERVER)
                .anyMatch(entry -> before.lost().stream()
                        .anyMatch(loss -> loss.member().role() == entry.role()
                                && loss.member().rank() == entry.rank));
        boolean isBack = replaced != null || takesPlace;
        if (!now.isExact() || !isBack && !(runs && isLoadDue)) {
            if (!runs) {
                loaded();
            }
            return now;
        }
        isLoadDue = true;
        return now.rolledBack(states.next());
    }

    /**
     * Records that a model has a checkpoint, or that one has been loaded on all servers.
     *
     * @throws PsException with {@code ROLLED_BACK} if the caller does not know yet that one has to be loaded, or asks
     *     whether it has been, and it has not
     */
    void restoreFrom(RestoreFrom.Request from) {
        ClusterState now = states.now();
        if (from.revoked()) {
            revoke(now.recovery(), from.model());
            return;
        }
        boolean isNone = from.model().equals(RestoreFrom.NONE);
        boolean asks = isNone && !from.loaded();
        if (from.rollback() != now.recovery().rollback() || asks && isLoadDue) {
            throw new PsException(
                    Code.ROLLED_BACK,
                    (asks ? "the tensors" : "checkpoint of model \"" + from.model() + "\"")
                            + ": from before a lost node came back (expected: that all workers, or a client where there are"
                            + " none, load the newest checkpoint; ModelCheckpoints.loadLatest)");
        }
        if (from.loaded()) {
            loaded();
        }
        if (isNone) {
            return;
        }
        Model model = new Model(from.model(), from.all());
        requireRoom(now.recovery(), model);
        if (!now.recovery().models().contains(model)) {
            states.change(Nodes.recovery(now.recovery().with(model)));
        }
    }

    private static void requireRoom(Recovery recovery, Model model) {
        try {
            Names.requirePath("name of model", model.name());
        } catch (IllegalArgumentException e) {
            throw new PsException(Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
        if (recovery.with(model).models().size() > MOST_MODELS) {
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "models with checkpoints, with \"" + model.name() + "\": " + (MOST_MODELS + 1)
                            + " (expected: at most " + MOST_MODELS + "; ModelCheckpoints.delete frees one)");
        }
    }

    private void revoke(Recovery recovery, String model) {
        Recovery without = recovery.without(model);
        if (!without.equals(recovery)) {
            states.change(Nodes.recovery(without));
        }
    }

    private void loaded() {
        if (isLoadDue) {
            isLoadDue = false;
            journal.mark(JournalEntry.Mark.LOADED);
        }
    }
}
