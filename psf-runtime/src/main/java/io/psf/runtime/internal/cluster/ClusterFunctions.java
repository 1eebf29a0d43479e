package io.psf.runtime.internal.cluster;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Connection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The scheduler's side of the functions in this package. {@link ServerFunctions} has the servers'. */
public final class ClusterFunctions {
    /** The functions that a connection may call before its peer is identified. */
    public static final Set<Integer> OPEN_TO_STRANGERS = Set.of(JoinPsf.ID, VisitPsf.ID, ChallengePsf.ID, HelloPsf.ID);

    private final HostNode node;
    private final ClusterPlan plan;
    private final Connections connections;
    private final Identity own;
    private final Membership membership;
    private final Journal journal;
    private final Barriers barriers;
    private final Catalog catalog;

    /**
     * Creates the functions of a scheduler.
     *
     * @param node the scheduler
     * @param connections holds the nodes' sessions; the nodes of closed sessions are removed
     * @param own the scheduler's identity
     * @param journal what a scheduler before this one has left
     * @param events receives what happens to the cluster
     */
    public ClusterFunctions(
            ClusterPlan plan,
            HostNode node,
            Connections connections,
            Identity own,
            Journal journal,
            ClusterEvents events) {
        this.node = node;
        this.plan = plan;
        this.connections = connections;
        connections.setPermits(plan.trust().rules().permits());
        this.own = own;
        this.journal = journal;
        this.barriers = new Barriers(journal);
        this.membership = new Membership(plan, connections, journal, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                events.changed(members);
                barriers.membersChanged(members);
            }

            @Override
            public void rolledBack(long epoch) {
                barriers.rollBack(epoch);
            }

            @Override
            public CompletableFuture<Boolean> refuses(Member server) {
                return events.refuses(server);
            }

            @Override
            public void ended(@Nullable PsException failure) {
                events.ended(failure);
            }
        });
        this.catalog = new Catalog(membership.states());
        connections.whenClosed(gone -> node.execute(() -> membership.closed(gone)));
    }

    /** Adds the scheduler's functions. */
    public Handlers bind(Handlers handlers) {
        Join join = (request, on) -> membership.join(request, node.connection());
        Visit visit = (request, on) -> membership.visit(request, node.connection());
        Beat beat = (request, on) -> {
            node.connection().rights().knows(request.rules());
            return membership.beat(request.epoch(), node.connection());
        };
        ReportCalls report = (request, on) ->
                new ReportCalls.Response(membership.beats().reported(request.report(), node.connection()));
        Leave leave = (request, on) -> {
            Connection connection = node.connection();
            node.execute(() -> membership.leave(connection)); // it ends the connection
            return new Leave.Response();
        };
        End end = (request, on) -> {
            Connection connection = node.connection();
            node.execute(() -> membership.end(connection)); // after the answer is on its way
            return new End.Response();
        };
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            Protocol agreed = own.admit(request, connection);
            membership.rejoin(request, connection);
            return CompletableFuture.completedFuture(new Hello.Response(agreed, List.of(), ""));
        };
        Declare declare = (request, on) -> declare(request, on.call());
        GetChanges changes = (request, on) -> new GetChanges.Response(since(request.epoch()));
        Forget forget = (request, on) -> {
            journal.run(on.call(), () -> catalog.forget(request.tensor(), request.lost()));
            return new Forget.Response(since(request.epoch()));
        };
        RestoreFrom restore = (request, on) -> {
            membership.returns().restoreFrom(request);
            return new RestoreFrom.Response();
        };
        return handlers.with(JoinPsf.bind(join))
                .with(VisitPsf.bind(visit))
                .with(ServerFunctions.challenge(node, membership::isForming))
                .with(HelloPsf.bind(hello))
                .with(BeatPsf.bind(beat))
                .with(ReportCallsPsf.bind(report))
                .with(LeavePsf.bind(leave))
                .with(EndPsf.bind(end))
                .with(RestoreFromPsf.bind(restore))
                .with(BarrierPsf.bind(barriers))
                .with(DeclarePsf.bind(declare))
                .with(GetChangesPsf.bind(changes))
                .with(ForgetPsf.bind(forget));
    }

    /**
     * Takes the place of the scheduler that has written the journal, if there was one. Called before the scheduler
     * listens.
     */
    public void restore() {
        membership.restore();
    }

    /**
     * Places the slices of a tensor at other servers. Called on the scheduler's lane, where the nodes' questions for
     * the state wait meanwhile.
     *
     * @param servers [slices], the rank of each slice's server
     * @param carry makes the slices there, before any node learns of the new layout, which it receives
     */
    public void move(TensorId tensor, List<Integer> servers, Consumer<TensorLayout> carry) {
        TensorLayout to = catalog.moved(tensor, servers, List.of());
        carry.accept(to);
        catalog.move(to);
    }

    /**
     * True if the cluster can be left to another scheduler, which goes on from the journal. Called on the scheduler's
     * lane.
     */
    public boolean mayHandOver() {
        return membership.mayHandOver();
    }

    /** Ends the cluster, since its scheduler has to end. Called on the scheduler's lane. */
    public void end() {
        membership.end();
    }

    /**
     * Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit, on the scheduler's
     * lane.
     */
    public void tick() {
        membership.tick();
        barriers.expire();
        if (plan.trust().hasChanged()) {
            connections.setPermits(plan.trust().rules().permits());
            membership.states().tell();
        }
    }

    private Declare.Response declare(Declare.Request request, CallInfo call) {
        try {
            journal.run(call, () -> catalog.declare(request.tensors()));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
        return new Declare.Response(since(request.epoch()));
    }

    private List<ClusterChange> since(long epoch) {
        return membership.states().since(epoch);
    }
}
