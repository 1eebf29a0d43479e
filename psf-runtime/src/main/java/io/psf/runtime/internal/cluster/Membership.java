package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.session.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of the cluster, and its clients. Forms the cluster, admits later nodes, assigns ranks, detects
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
    private final MembershipLog log;
    private final Journal journal;
    private final MemberTable table = new MemberTable();
    private final Handover handover;
    private final Beats beats;
    private final ClusterStates states;
    private final Returns returns;
    private final Admissions admissions;
    private final Absences absences;
    private State state = State.FORMING;
    /** When the cluster began to form; once it has formed, when that was. */
    private long started;

    private @Nullable PsException failure;
    private long endedAt;
    private long tickedAt;

    /**
     * Creates an empty cluster.
     *
     * @param connections holds the nodes' sessions
     * @param journal receives what happens, and has what has happened before
     */
    Membership(ClusterPlan plan, Connections connections, Journal journal, ClusterEvents events) {
        this.plan = plan;
        this.journal = journal;
        this.absences = new Absences(plan, events::refuses);
        this.started = plan.now();
        this.tickedAt = started;
        this.handover = new Handover(plan);
        this.beats = new Beats(plan, table, journal);
        this.states = beats.states();
        this.returns = new Returns(plan, table, states, journal);
        this.connections = connections;
        this.events = events;
        this.admissions = new Admissions(plan, connections, journal, table, states);
        this.log = new MembershipLog(plan.servers() + plan.workers());
    }

    /** Goes on with the cluster of the journal, if there is one. */
    void restore() {
        if (journal.state().hasNodes()) {
            state = State.RUNNING;
            admissions.restore();
            events.changed(states.now().counted());
            if (journal.state().hasEnded()) {
                end("as the journal says");
            }
            handover.begin(states.now());
        } else if (states.now().epoch() > 0) {
            formAnew();
        }
    }

    CompletableFuture<Join.Response> join(Join.Request request, Connection connection) {
        admissions.requireNode(request, connection);
        JoinChecks.requireFirst(table.of(connection) == null && connection.member() == null);
        MemberEntry before = table.ofSession(request.session());
        if (before != null && state != State.ENDED) {
            return joinAgain(before, request, connection);
        }
        handover.requireOver();
        JoinChecks.requireNotEnded(state == State.ENDED, plan, failure());
        MemberEntry named = table.named(request);
        if (named != null) {
            MemberEntry entry = admissions.replace(named, request, connection);
            log.joined(entry, "in the place of worker " + entry.name());
            advance(named.admitted ? named : null);
            return entry.joined;
        }
        JoinChecks.requireFree(request, plan, state == State.FORMING, table);
        MemberEntry entry = new MemberEntry(connection, request, plan.now());
        if (request.role() == Role.SERVER && state == State.RUNNING) {
            returns.requireMayWait(request);
            entry.rank = -1; // the rank of a lost server
        }
        table.add(entry);
        log.joined(entry, state == State.FORMING && request.role() != Role.CLIENT ? table.joined(plan) : "");
        if (request.role() == Role.CLIENT && state == State.RUNNING) {
            admissions.admit(entry);
        } else {
            advance(null);
        }
        return entry.joined;
    }

    /** Admits a guest, which is no member. */
    Visit.Response visit(Visit.Request guest, Connection connection) {
        Protocol agreed = admissions.requireGuest(guest.guest(), connection);
        JoinChecks.requireRunning(state == State.RUNNING, state == State.ENDED, table.joined(plan));
        return admissions.visit(agreed, connection, started, guest.reports() ? beats.askForReports() : List.of());
    }

    /** Accepts a node again whose connection broke before it received the answer to its join. */
    private CompletableFuture<Join.Response> joinAgain(MemberEntry entry, Join.Request request, Connection connection) {
        JoinChecks.requireUnanswered(entry, request);
        handover.heard(entry.role());
        log.joinedAgain(entry, connection.channel().peer());
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

    /** Resumes a node's session over another connection, whose hello is verified. */
    void rejoin(Hello.Request hello, Connection connection) {
        if (isOver()) {
            throw JoinChecks.lost();
        }
        handover.heard(admissions.resume(hello, connection).role());
    }

    /**
     * Forms the cluster if it is complete, begins a job if its workers have joined, and admits later ones, one in the
     * place of another.
     */
    private void advance(@Nullable MemberEntry replaced) {
        boolean forms = state == State.FORMING && table.isComplete(plan);
        if (!forms && state != State.RUNNING) {
            return;
        }
        boolean runs = states.now().hasWorkers();
        boolean begins = !runs && table.count(Role.WORKER) >= plan.workers();
        List<MemberEntry> newcomers = new ArrayList<>(forms ? table.waiting(Role.SERVER) : returns.place());
        if (runs || begins) {
            newcomers.addAll(table.waiting(Role.WORKER));
        }
        if (newcomers.isEmpty()) {
            return;
        }
        newcomers.forEach(table::rank);
        ClusterChange.Recovery recovery = returns.after(newcomers, replaced, runs);
        boolean rollsBack = recovery.rollback() == states.next();
        if (replaced != null && !rollsBack) { // nothing waits for it, as after a loss
            events.changed(states.now().countedWithout(replaced.member()));
        }
        for (MemberEntry entry : newcomers) {
            entry.since = states.next();
            entry.late = entry.role() == Role.SERVER ? !forms : runs && !rollsBack;
            log.ranked(entry);
        }
        if (forms) {
            state = State.RUNNING;
            started = plan.now();
            LOG.info("cluster is ready: {}", plan.whenComplete());
        }
        if (plan.service() && begins) {
            log.job("a job begins with " + table.count(Role.WORKER) + " workers");
        }
        List<Integer> owners = forms ? ClusterState.even(plan.servers()) : List.of();
        states.change(returns.joined(newcomers, begins, owners, rollsBack ? recovery : null));
        if (rollsBack) {
            LOG.warn("the newest checkpoint has to be loaded on all servers, since a lost node has come back");
            events.rolledBack(recovery.rollback());
        }
        events.changed(states.now().counted());
        newcomers.forEach(admissions::admit);
        if (forms) {
            table.waiting(Role.CLIENT).forEach(admissions::admit);
        }
    }

    /** True if the cluster is not complete yet: nodes that join wait for the others. */
    boolean isForming() {
        return state == State.FORMING;
    }

    MemberTable table() {
        return table;
    }

    Beats beats() {
        return beats;
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
            throw JoinChecks.lost();
        }
        if (entry.isAhead(known, states.now().epoch()) && state == State.RUNNING) {
            failure = JoinChecks.oldJournal(entry.member(), known, states.now().epoch());
            end(failure.detail());
            changed(ClusterChange.Nodes.NONE);
        }
        return beats.beat(entry, known);
    }

    void leave(Connection connection) {
        MemberEntry entry = table.of(connection);
        if (entry != null) {
            log.left(entry);
            remove(entry);
            boolean mayReturn = state == State.RUNNING && entry.role() == Role.SERVER;
            ClusterChange.Loss loss = mayReturn ? returns.loss(entry.member(), "it has left") : null;
            changed(entry, loss != null && loss.awaited() ? List.of(loss) : List.of());
        }
    }

    /** Ends the cluster: every node learns of it from its next heartbeat. */
    void end(Connection connection) {
        if (state == State.RUNNING) {
            end("told to by " + connection.member());
            changed(ClusterChange.Nodes.NONE);
        }
    }

    /**
     * True if the cluster can be left to another scheduler: it has not ended, and that one finds all that has happened.
     */
    boolean mayHandOver() {
        return state != State.ENDED && journal.isUsable();
    }

    /** Ends the cluster, since its scheduler has to end. If it is not complete, the nodes that wait for it fail. */
    void end() {
        if (state == State.FORMING) {
            state = State.ENDED;
            table.refuseWaiting(JoinChecks.neverFormed());
            events.ended(null);
        } else if (state == State.RUNNING) {
            end("its scheduler was told to end");
            changed(ClusterChange.Nodes.NONE);
        }
    }

    private void end(String reason) {
        state = State.ENDED;
        handover.end();
        journal.mark(JournalEntry.Mark.ENDED);
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
            log.disconnected(entry, connection.channel().peer(), state == State.FORMING);
        } else if (entry.confirmed) { // a node without its answer joins again, or its silence is detected
            lose(entry, "its session with the scheduler ended");
        }
    }

    private void lose(MemberEntry entry, String reason) {
        remove(entry);
        if (state == State.ENDED) {
            changed(entry, List.of());
            return;
        }
        log.lost(entry, reason);
        entry.connection.channel().close();
        changed(entry, entry.role() == Role.CLIENT ? List.of() : List.of(returns.loss(entry.member(), reason)));
    }

    /** Makes the next state after a node has gone, unless it was a client: states do not have clients. */
    private void changed(MemberEntry gone, List<ClusterChange.Loss> losses) {
        if (gone.role() != Role.CLIENT) {
            changed(ClusterChange.Nodes.gone(List.of(gone.place()), losses));
        } else if (isOver()) {
            events.ended(failure());
        }
    }

    private boolean isOver() {
        return state == State.ENDED && table.isEmpty();
    }

    private @Nullable PsException failure() {
        return failure != null ? failure : returns.failure();
    }

    /** Makes the next state, after nodes have left or were lost, or are awaited no longer. */
    private void changed(ClusterChange.Nodes nodes) {
        if (state == State.RUNNING && states.now().hasWorkers() && !returns.hasWorkers(nodes.lost())) {
            if (plan.service()) {
                log.job("a job has ended: no worker is left");
            } else {
                failure = Returns.lostWorker(nodes.lost());
                end("no worker is left");
            }
        }
        states.change(nodes);
        events.changed(states.now().counted());
        if (isOver()) {
            events.ended(failure());
        } else {
            advance(null); // nodes that wait for the next job may be enough, or servers for the place of a lost one
        }
    }

    /** Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit. */
    void tick() {
        long now = plan.now();
        long limit = plan.heartbeatLimit().toNanos();
        long passed = now - tickedAt;
        tickedAt = now;
        table.excuse(passed - limit / 4, now);
        boolean isAlone = handover.hasFailed(passed - limit / 4, now, state == State.ENDED);
        if (isAlone && state != State.ENDED) {
            formAnew();
        }
        switch (state) {
            case FORMING -> {
                if (now - started > plan.joinTimeout().toNanos()) {
                    failForming();
                }
            }
            case RUNNING -> {
                for (MemberEntry entry : List.copyOf(table.all())) {
                    String lost = handover.isUnderWay() ? null : absences.lost(entry, passed);
                    if (lost != null) {
                        lose(entry, lost);
                    } else if (now - entry.beatSince > limit / 4) {
                        beats.answer(entry);
                    }
                }
                if (handover.isUnderWay()) { // none of the nodes is there yet
                    return;
                }
                List<ClusterChange.Loss> lost = state == State.RUNNING ? returns.expired(now) : List.of();
                if (!lost.isEmpty()) {
                    changed(ClusterChange.Nodes.gone(List.of(), lost));
                }
            }
            case ENDED -> {
                absences.gone(table.all(), passed).forEach(gone -> lose(gone, "it has ended"));
                if ((isAlone || now - endedAt > limit) && !table.isEmpty() && !handover.isUnderWay()) {
                    table.clear();
                    events.ended(failure());
                }
            }
        }
    }

    /** Forgets the cluster of the journal. */
    private void formAnew() {
        List.copyOf(table.all()).forEach(this::remove);
        state = State.FORMING;
        started = plan.now();
        journal.renew();
        beats.begin();
        states.reset();
        admissions.forgetClients();
        events.rolledBack(0);
        events.changed(List.of());
    }

    private void failForming() {
        failure = JoinChecks.incomplete(table.joined(plan), plan.joinTimeout());
        LOG.error("the cluster did not form: {}", failure.detail());
        state = State.ENDED;
        table.refuseWaiting(failure);
        events.ended(failure);
    }
}
