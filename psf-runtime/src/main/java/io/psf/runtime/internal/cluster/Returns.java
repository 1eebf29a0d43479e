package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.ClusterChange.Loss;
import io.psf.runtime.internal.cluster.ClusterChange.Model;
import io.psf.runtime.internal.cluster.ClusterChange.Nodes;
import io.psf.runtime.internal.cluster.ClusterChange.Place;
import io.psf.runtime.internal.cluster.ClusterChange.Recovery;
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
 * The scheduler's rules for nodes that take the places of lost ones: which servers are awaited and for how long, which node takes the place of
 * a lost server, and when all workers have to load a checkpoint. Used on the scheduler's lane.
 */
final class Returns {
    private static final Logger LOG = LoggerFactory.getLogger(Returns.class);

    private final ClusterPlan plan;
    private final MemberTable table;
    private final ClusterStates states;
    /** By the rank of each awaited server, the time at which it is awaited no longer. */
    private final Map<Integer, Long> until = new HashMap<>();
    /** True if the workers have not yet loaded the checkpoint that the last rollback requires. */
    private boolean isLoadDue;

    Returns(ClusterPlan plan, MemberTable table, ClusterStates states) {
        this.plan = plan;
        this.table = table;
        this.states = states;
    }

    /** True if the cluster was told to expect lost servers back. */
    private boolean areExpected() {
        return !plan.serverReturn().isZero();
    }

    /** Returns the loss of a node. A server is awaited if there is a checkpoint that its slices can be loaded from. */
    Loss loss(Member member, String reason) {
        boolean awaited = member.role() == Role.SERVER
                && areExpected()
                && !states.now().recovery().models().isEmpty();
        if (awaited) {
            until.put(member.rank(), plan.now() + plan.serverReturn().toNanos());
        }
        return new Loss(member, reason, awaited);
    }

    /**
     * Returns the losses that no longer count.
     *
     * @param back the nodes that have come back
     * @param begins true if a job begins: the lost workers were those of an earlier one
     */
    List<Place> settled(Collection<MemberEntry> back, boolean begins) {
        Set<Place> places = new HashSet<>();
        for (MemberEntry entry : back) {
            places.add(entry.place());
            if (entry.role() == Role.SERVER) {
                until.remove(entry.rank);
            }
        }
        return states.now().lost().stream()
                .filter(loss ->
                        begins && loss.member().role() == Role.WORKER || places.contains(Place.of(loss.member())))
                .map(loss -> Place.of(loss.member()))
                .toList();
    }

    /** Makes the losses of servers final that have not come back in time. */
    void expire(long now) {
        List<Loss> losses = expired(now);
        if (!losses.isEmpty()) {
            LOG.warn("a lost server has not come back: {}", losses);
            states.change(Nodes.gone(List.of(), losses));
        }
    }

    /** Returns why a job ended badly whose nodes were lost and did not come back; null if there are none. */
    @Nullable
    PsException failure() {
        List<Loss> lost = states.now().lost();
        return lost.isEmpty()
                ? null
                : new PsException(
                        Code.UNAVAILABLE,
                        "lost " + lost.get(0).member() + ": " + lost.get(0).reason());
    }

    private List<Loss> expired(long now) {
        List<Loss> losses = new ArrayList<>();
        for (Loss loss : states.now().lost()) {
            Long limit = loss.awaited() ? until.get(loss.member().rank()) : null;
            if (limit != null && now - limit > 0) {
                until.remove(loss.member().rank());
                losses.add(new Loss(
                        loss.member(),
                        loss.reason() + ", and no server came in its place within "
                                + plan.serverReturn().toMillis() + " ms",
                        false));
            }
        }
        return losses;
    }

    /**
     * Gives the waiting servers the ranks of lost ones: to each rank the server that has requested it, else one that has
     * requested none.
     *
     * @return the servers that have a rank now
     */
    List<MemberEntry> place() {
        List<MemberEntry> placed = new ArrayList<>();
        for (Loss loss : states.now().lost()) {
            int rank = loss.member().rank();
            if (loss.awaited() && table.of(Role.SERVER, rank) == null) {
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
        if (!areExpected()) {
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
     * Returns what happens when nodes come back, after nodes have been admitted. All workers have to load a checkpoint if one
     * of the nodes takes the place of a lost one and the tensors have to be exact; or if they have not loaded it yet, so
     * that the new worker loads it as well.
     *
     * @param lost those that were lost before
     * @param runs true if the job has workers already
     */
    Recovery after(List<MemberEntry> admitted, List<Loss> lost, boolean runs) {
        Recovery now = states.now().recovery();
        boolean isBack = admitted.stream()
                .anyMatch(entry -> lost.stream()
                        .anyMatch(loss -> loss.member().role() == entry.role()
                                && loss.member().rank() == entry.rank));
        if (!runs || !now.isExact() || !isBack && !isLoadDue) {
            isLoadDue &= runs;
            return now;
        }
        isLoadDue = true;
        return new Recovery(now.models(), states.next());
    }

    /** Records that a model has a checkpoint, or that all workers have loaded one. */
    void restoreFrom(RestoreFrom.Request from) {
        ClusterState now = states.now();
        if (from.loaded() && from.rollback() == now.recovery().rollback()) {
            isLoadDue = false;
        }
        Model model = new Model(from.model(), from.all());
        if (!now.recovery().models().contains(model)) {
            states.change(Nodes.recovery(now.recovery().with(model)));
        }
    }
}
