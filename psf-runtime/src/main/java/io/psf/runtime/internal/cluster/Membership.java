package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.PeerLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of the cluster, and its clients. Forms the cluster, admits those that come later, assigns ranks, detects
 * lost nodes, and determines the end. A node is admitted in the epoch of the state that has it; until then it waits.
 * Used on the scheduler's lane.
 */
final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private enum State {
        FORMING,
        RUNNING,
        ENDED
    }

    private final ClusterPlan plan;
    private final Connections connections;
    private final ClusterEvents events;
    private final PeerLog joins;
    private final PeerLog repeatedJoins;
    private final PeerLog departures;
    private final PeerLog breaks;
    private final long started;
    private final MemberTable table = new MemberTable();
    private final Beats beats;
    private final ClusterStates states;
    private final Returns returns;
    private final Admissions admissions;
    private State state = State.FORMING;
    private @Nullable PsException failure;
    private long endedAt;
    private long tickedAt;

    /**
     * Creates an empty cluster.
     *
     * @param connections holds the nodes' sessions
     * @param tickets the tickets of the cluster
     */
    Membership(ClusterPlan plan, Connections connections, Tickets tickets, ClusterEvents events) {
        this.plan = plan;
        this.started = plan.now();
        this.tickedAt = started;
        this.beats = new Beats(plan, table);
        this.states = beats.states();
        this.returns = new Returns(plan, table, states);
        this.connections = connections;
        this.events = events;
        this.admissions = new Admissions(plan, connections, tickets, table, states);
        int nodes = plan.servers() + plan.workers();
        this.joins = new PeerLog(LOG::info, nodes);
        this.repeatedJoins = new PeerLog(LOG::info, nodes);
        this.departures = new PeerLog(LOG::info, nodes);
        this.breaks = new PeerLog(LOG::warn, nodes);
    }

    CompletableFuture<Join.Response> join(Join.Request request, Connection connection) {
        admissions.requireNode(request, connection);
        if (table.of(connection) != null || connection.member() != null) {
            throw new PsException(Code.BAD_REQUEST, "join: a second one on this connection (expected: one)");
        }
        MemberEntry before = table.ofSession(request.session());
        if (before != null && state != State.ENDED) {
            return joinAgain(before, request, connection);
        }
        if (state == State.ENDED) {
            throw new PsException(Code.BAD_REQUEST, "join: the cluster of " + plan + " has ended (expected: before)");
        }
        JoinChecks.requireFree(request, plan, state == State.FORMING, table);
        MemberEntry entry = new MemberEntry(connection, request, plan.now());
        if (request.role() == Role.SERVER && state == State.RUNNING) {
            returns.requireMayWait(request);
            entry.rank = -1; // that of a lost server
        }
        table.add(entry);
        joins.line(request.role().label() + " joined from " + entry.address()
                + (state == State.FORMING && request.role() != Role.CLIENT ? " (" + joined() + ")" : ""));
        if (request.role() == Role.CLIENT && state == State.RUNNING) {
            admissions.admit(entry);
        } else {
            advance();
        }
        return entry.joined;
    }

    private String joined() {
        return table.count(Role.SERVER) + " of " + plan.servers() + " servers, " + table.count(Role.WORKER) + " of "
                + plan.workers() + " workers";
    }

    /** Admits a guest, which is no member. */
    Visit.Response visit(Join.Request guest, Connection connection) {
        Protocol agreed = admissions.requireGuest(guest, connection);
        if (state != State.RUNNING) {
            String found = state == State.ENDED
                    ? "has ended (expected: running)"
                    : joined().replace(", ", " and ") + " have joined (expected: all)";
            throw new PsException(Code.UNAVAILABLE, "cluster: " + found);
        }
        return admissions.visit(agreed);
    }

    /** Accepts a node again whose connection broke before it received the answer to its join. */
    private CompletableFuture<Join.Response> joinAgain(MemberEntry entry, Join.Request request, Connection connection) {
        if (entry.confirmed || !entry.request.isOfSameNode(request)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "session of a join: in use already (expected: a number of its own, not that of another node)");
        }
        repeatedJoins.line(request.role().label() + " joined again from "
                + connection.channel().peer());
        Connection broken = entry.connection;
        table.move(entry, connection);
        entry.lastSeen = plan.now();
        connections.drop(broken);
        if (entry.admitted) {
            admissions.admit(entry);
        } else {
            entry.joined = new CompletableFuture<>();
        }
        return entry.joined;
    }

    /**
     * Resumes a node's session over another connection.
     *
     * @param hello already verified
     */
    void rejoin(Hello.Request hello, Connection connection) {
        MemberEntry entry = table.of(hello.role(), hello.rank());
        if (entry == null || !entry.admitted || entry.since != hello.since()) {
            throw lost(Code.CLOSED);
        }
        connections.resume(
                connection,
                entry.member(),
                hello.session().session(),
                hello.session().connection());
        entry.heard(plan.now());
    }

    private static PsException lost(Code code) {
        return new PsException(
                code,
                "this node: counted as lost by the scheduler (expected: a heartbeat within PSF_HEARTBEAT_LIMIT; start"
                        + " it again)");
    }

    /** Forms the cluster if it is complete, begins a job if its workers have joined, and admits those that come later. */
    private void advance() {
        boolean forms = state == State.FORMING
                && table.count(Role.SERVER) == plan.servers()
                && (plan.service() || table.count(Role.WORKER) >= plan.workers());
        if (!forms && state != State.RUNNING) {
            return;
        }
        boolean runs = states.now().count(Role.WORKER) > 0;
        boolean begins = !runs && table.count(Role.WORKER) >= plan.workers();
        List<MemberEntry> newcomers = new ArrayList<>(forms ? table.waiting(Role.SERVER) : returns.place());
        if (runs || begins) {
            newcomers.addAll(table.waiting(Role.WORKER));
        }
        if (newcomers.isEmpty()) {
            return;
        }
        newcomers.forEach(table::rank);
        List<ClusterChange.Loss> before = states.now().lost();
        ClusterChange.Recovery recovery = returns.after(newcomers, before, runs);
        boolean rollsBack = recovery.rollback() == states.next();
        for (MemberEntry entry : newcomers) {
            entry.since = states.next();
            entry.late = entry.role() == Role.SERVER ? !forms : runs && !rollsBack;
            LOG.info("{} at {} has rank {}", entry.role().label(), entry.address(), entry.rank);
        }
        if (forms) {
            state = State.RUNNING;
            LOG.info("cluster is ready: {}", plan);
        }
        if (plan.service() && begins) {
            LOG.info("a job begins with {} workers", table.count(Role.WORKER));
        }
        if (rollsBack) {
            LOG.warn("all workers have to load the newest checkpoint, since a lost node has come back");
            events.rolledBack(recovery.rollback());
        }
        states.change(new ClusterChange.Nodes(
                newcomers.stream().map(MemberEntry::node).toList(),
                List.of(),
                List.of(),
                returns.settled(newcomers, begins),
                forms ? ClusterState.even(plan.servers()) : List.of(),
                rollsBack ? recovery : null));
        events.changed(table.members());
        newcomers.forEach(admissions::admit);
        if (forms) {
            table.all().stream()
                    .filter(entry -> !entry.admitted && entry.role() == Role.CLIENT)
                    .toList()
                    .forEach(admissions::admit);
        }
    }

    Returns returns() {
        return returns;
    }

    ClusterStates states() {
        return states;
    }

    CompletableFuture<Beat.Response> beat(long known, Connection connection) {
        MemberEntry entry = table.of(connection);
        if (entry == null) {
            throw lost(Code.UNAVAILABLE);
        }
        return beats.beat(entry, known);
    }

    void leave(Connection connection) {
        MemberEntry entry = table.of(connection);
        if (entry != null) {
            departures.line(entry.role().label() + " " + entry.rank + " left");
            remove(entry);
            ClusterChange.Loss loss = returns.loss(entry.member(), "it has left");
            changed(entry, state == State.RUNNING && loss.awaited() ? List.of(loss) : List.of());
        }
    }

    /** Ends the cluster: every node learns of it from its next heartbeat. */
    void end(Connection connection) {
        if (state == State.RUNNING) {
            end("told to by " + connection.member());
            changed(ClusterChange.Nodes.NONE);
        }
    }

    /** Ends the cluster, since its scheduler has to end. If it is not complete, the nodes that wait for it fail. */
    void end() {
        if (state == State.FORMING) {
            state = State.ENDED;
            table.refuseWaiting(new PsException(
                    Code.CLOSED, "the cluster: its scheduler was told to end before all nodes had joined"));
            events.ended(null);
        } else if (state == State.RUNNING) {
            end("its scheduler was told to end");
            changed(ClusterChange.Nodes.NONE);
        }
    }

    private void end(String reason) {
        state = State.ENDED;
        beats.end();
        endedAt = plan.now();
        LOG.info("the {} has ended: {}", plan.service() ? "service" : "job", reason);
        table.refuseWaiting(
                new PsException(Code.CLOSED, "the cluster of " + plan + " has ended (expected: a free place in it)"));
    }

    private void remove(MemberEntry entry) {
        table.remove(entry);
        entry.connection.term().retire();
    }

    /** Removes the node of a connection that has ended together with its session. */
    void closed(Connection connection) {
        MemberEntry entry = table.of(connection);
        if (entry == null) {
            return;
        }
        if (!entry.admitted) {
            table.remove(entry);
            breaks.line(entry.role().label() + " at " + connection.channel().peer() + " disconnected before "
                    + (state == State.FORMING ? "the cluster was ready" : "its job began"));
        } else if (entry.confirmed) { // a node without its answer joins again, or its silence is detected
            lose(entry, "its session with the scheduler ended");
        }
    }

    private void lose(MemberEntry entry, String reason) {
        remove(entry);
        Member member = entry.member();
        if (state == State.ENDED) {
            changed(entry, List.of());
            return;
        }
        String lost = "lost " + member + ": " + reason;
        entry.connection.channel().close();
        if (entry.role() == Role.CLIENT) {
            breaks.line(lost);
            changed(entry, List.of());
        } else {
            LOG.warn("{}", lost);
            changed(entry, List.of(returns.loss(member, reason)));
        }
    }

    /** Makes the next state after a node has gone, unless it was a client: states do not have clients. */
    private void changed(MemberEntry gone, List<ClusterChange.Loss> losses) {
        if (gone.role() != Role.CLIENT) {
            changed(ClusterChange.Nodes.gone(List.of(gone.place()), losses));
        } else if (state == State.ENDED && table.isEmpty()) {
            events.ended(failure != null ? failure : returns.failure());
        }
    }

    /** Makes the next state, after nodes have left or were lost. */
    private void changed(ClusterChange.Nodes nodes) {
        boolean hasWorkers = table.present().stream().anyMatch(entry -> entry.role() == Role.WORKER);
        if (state == State.RUNNING && !hasWorkers && states.now().count(Role.WORKER) > 0) {
            if (plan.service()) {
                LOG.info("a job has ended: no worker is left");
            } else {
                end("no worker is left");
            }
        }
        events.changed(table.members());
        states.change(nodes);
        if (state == State.ENDED && table.isEmpty()) {
            events.ended(failure != null ? failure : returns.failure());
        } else {
            advance(); // those that wait for the next job may be enough, or for the place of a lost server
        }
    }

    /** Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit. */
    void tick() {
        long now = plan.now();
        long limit = plan.heartbeatLimit().toNanos();
        table.excuse(now - tickedAt - limit / 4, now);
        tickedAt = now;
        switch (state) {
            case FORMING -> {
                if (now - started > plan.joinTimeout().toNanos()) {
                    failForming();
                }
            }
            case RUNNING -> {
                for (MemberEntry entry : List.copyOf(table.all())) {
                    if (entry.admitted && now - entry.lastSeen > limit && entry.beat == null) {
                        lose(
                                entry,
                                entry.silence() + " for "
                                        + plan.heartbeatLimit().toMillis() + " ms");
                    } else if (now - entry.beatSince > limit / 4) {
                        beats.answer(entry);
                    }
                }
                returns.expire(now);
            }
            case ENDED -> {
                if (now - endedAt > limit && !table.isEmpty()) {
                    table.clear();
                    events.ended(failure != null ? failure : returns.failure());
                }
            }
        }
    }

    private void failForming() {
        failure = new PsException(
                Code.TIMED_OUT,
                "nodes that have joined"
                        + " after " + plan.joinTimeout().toMillis() + " ms: " + table.count(Role.SERVER) + " of "
                        + plan.servers()
                        + " servers and " + table.count(Role.WORKER) + " of " + plan.workers()
                        + " workers (expected: all)");
        LOG.error("the cluster did not form: {}", failure.detail());
        state = State.ENDED;
        table.refuseWaiting(failure);
        events.ended(failure);
    }
}
