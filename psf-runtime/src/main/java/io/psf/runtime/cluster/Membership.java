package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.server.Connections;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.transport.PeerLog;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of the cluster. Forms the cluster, assigns ranks, detects lost nodes, and determines the end of the job.
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
    private final Tickets tickets;
    private final ClusterEvents events;
    private final SharedSecret secret;
    private final PeerLog joins;
    private final PeerLog repeatedJoins;
    private final PeerLog departures;
    private final PeerLog breaks;
    private final long started = System.nanoTime();
    private final List<MemberEntry> entries = new ArrayList<>();
    private final ClusterStates states = new ClusterStates(this::tell);
    private State state = State.FORMING;
    private @Nullable PsException failure;
    private long endedAt;

    /**
     * Creates an empty cluster.
     *
     * @param connections holds the nodes' sessions
     * @param tickets the tickets of the cluster
     */
    Membership(ClusterPlan plan, Connections connections, Tickets tickets, ClusterEvents events) {
        this.plan = plan;
        this.connections = connections;
        this.tickets = tickets;
        this.events = events;
        this.secret = new SharedSecret(plan.secret());
        int nodes = plan.servers() + plan.workers();
        this.joins = new PeerLog(LOG::info, nodes);
        this.repeatedJoins = new PeerLog(LOG::info, nodes);
        this.departures = new PeerLog(LOG::info, nodes);
        this.breaks = new PeerLog(LOG::warn, nodes);
    }

    CompletableFuture<Join.Response> join(Join.Request request, Connection connection) {
        Protocol.OWN.agree(request.protocol());
        JoinChecks.requireNode(request);
        secret.require(request, connection.takeChallenge());
        if (entry(connection) != null || connection.member() != null) {
            throw new PsException(Code.BAD_REQUEST, "join: a second one on this connection (expected: one)");
        }
        for (MemberEntry other : entries) {
            if (other.request.session() == request.session() && state != State.ENDED) {
                return joinAgain(other, request, connection);
            }
        }
        JoinChecks.requireFree(request, plan, state == State.FORMING, entries);
        Role role = request.role();
        MemberEntry entry = new MemberEntry(connection, request);
        entries.add(entry);
        joins.line(role.label() + " joined from " + entry.place() + " (" + count(Role.SERVER) + " of " + plan.servers()
                + " servers, " + count(Role.WORKER) + " of " + plan.workers() + " workers)");
        if (entries.size() == plan.servers() + plan.workers()) {
            complete();
        }
        return entry.joined;
    }

    /** Admits a guest, which is no member. */
    Visit.Response visit(Join.Request guest, Connection connection) {
        Protocol agreed = Protocol.OWN.agree(guest.protocol());
        JoinChecks.requireGuest(guest);
        secret.require(guest, connection.takeChallenge());
        if (state != State.RUNNING) {
            throw new PsException(
                    Code.UNAVAILABLE,
                    "cluster: "
                            + (state == State.ENDED
                                    ? "has ended (expected: running)"
                                    : count(Role.SERVER) + " of " + plan.servers() + " servers and "
                                            + count(Role.WORKER) + " of " + plan.workers()
                                            + " workers have joined (expected: all)"));
        }
        return new Visit.Response(
                agreed,
                plan.heartbeatLimit().toMillis(),
                members(),
                new Join.Keys(
                        tickets.cluster(), tickets.of(Role.WORKER, Ticket.GUEST).secret(), new byte[0]));
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
        entry.connection = connection;
        entry.lastSeen = System.nanoTime();
        connections.drop(broken);
        if (state == State.RUNNING) {
            admit(entry);
        } else {
            entry.joined = new CompletableFuture<>();
        }
        return entry.joined;
    }

    /** Opens the session of a node of a complete cluster, and answers its join. */
    private void admit(MemberEntry entry) {
        entry.lastSeen = System.nanoTime();
        connections.open(entry.connection, entry.member(), entry.request.session());
        Join.Response answer = new Join.Response(
                Protocol.OWN.agree(entry.request.protocol()),
                entry.rank,
                plan.heartbeatLimit().toMillis(),
                states.now().whole(),
                new Join.Keys(
                        tickets.cluster(),
                        tickets.of(entry.role(), entry.rank).secret(),
                        entry.role() == Role.SERVER ? tickets.key() : new byte[0]));
        CompletableFuture<Join.Response> joined = entry.joined;
        entry.joined = CompletableFuture.completedFuture(answer);
        joined.complete(answer);
    }

    /**
     * Resumes a node's session over another connection.
     *
     * @param hello already verified
     */
    void rejoin(Hello.Request hello, Connection connection) {
        for (MemberEntry entry : entries) {
            if (entry.role() == hello.role() && entry.rank == hello.rank() && state != State.FORMING) {
                connections.resume(
                        connection,
                        entry.member(),
                        hello.session().session(),
                        hello.session().connection());
                entry.heard();
                return;
            }
        }
        throw new PsException(
                Code.CLOSED, "this node counts as lost (expected: a heartbeat in time); it must be restarted");
    }

    private int count(Role role) {
        return (int) entries.stream().filter(e -> e.role() == role).count();
    }

    private void complete() {
        rank(Role.SERVER);
        rank(Role.WORKER);
        state = State.RUNNING;
        entries.sort(Comparator.comparing((MemberEntry e) -> e.role()).thenComparing(e -> e.rank));
        for (MemberEntry entry : entries) {
            LOG.info("{} at {} has rank {}", entry.role().label(), entry.place(), entry.rank);
        }
        LOG.info("cluster is ready: {}", plan);
        entries.forEach(entry -> entry.since = states.next());
        states.change(nodes(List.of(), ClusterState.even(count(Role.SERVER))));
        events.changed(members());
        List.copyOf(entries).forEach(this::admit);
    }

    /** Assigns ranks to the nodes that requested none, in the order in which they joined. */
    private void rank(Role role) {
        BitSet taken = new BitSet();
        for (MemberEntry entry : entries) {
            if (entry.role() == role && entry.rank >= 0) {
                taken.set(entry.rank);
            }
        }
        for (MemberEntry entry : entries) {
            if (entry.role() == role && entry.rank < 0) {
                entry.rank = taken.nextClearBit(0);
                taken.set(entry.rank);
            }
        }
    }

    List<Member> members() {
        return entries.stream().map(MemberEntry::member).toList();
    }

    private ClusterChange.Nodes nodes(List<ClusterChange.Loss> lost, List<Integer> owners) {
        List<ClusterChange.Node> present = entries.stream()
                .map(entry -> new ClusterChange.Node(entry.member(), entry.since))
                .toList();
        return new ClusterChange.Nodes(present, lost, owners);
    }

    /** Returns the states of the cluster. */
    ClusterStates states() {
        return states;
    }

    CompletableFuture<Beat.Response> beat(long known, Connection connection) {
        MemberEntry entry = entry(connection);
        if (entry == null) {
            throw new PsException(
                    Code.UNAVAILABLE, "this node counts as lost (expected: a heartbeat in time); it must be restarted");
        }
        entry.heard();
        if (known != states.now().epoch()) {
            return CompletableFuture.completedFuture(since(known));
        }
        CompletableFuture<Beat.Response> answer = new CompletableFuture<>();
        entry.beat = answer;
        entry.known = known;
        entry.beatSince = entry.lastSeen;
        return answer;
    }

    private Beat.Response since(long known) {
        return new Beat.Response(states.since(known), state == State.ENDED);
    }

    /** Answers the heartbeats that wait. */
    private void tell() {
        for (MemberEntry entry : List.copyOf(entries)) {
            answerBeat(entry);
        }
    }

    /** Answers the heartbeat of a node if it waits; else nothing asks for the differences. */
    private void answerBeat(MemberEntry entry) {
        if (entry.beat != null) {
            entry.answerBeat(since(entry.known));
        }
    }

    private @Nullable MemberEntry entry(Connection connection) {
        for (MemberEntry entry : entries) {
            if (entry.connection == connection) {
                return entry;
            }
        }
        return null;
    }

    void leave(Connection connection) {
        MemberEntry entry = entry(connection);
        if (entry != null) {
            entries.remove(entry);
            departures.line(entry.role().label() + " " + entry.rank + " left");
            changed(List.of());
        }
    }

    /** Removes the node of a connection that has ended together with its session. */
    void closed(Connection connection) {
        MemberEntry entry = entry(connection);
        if (entry == null) {
            return;
        }
        if (state == State.FORMING) {
            entries.remove(entry);
            breaks.line(entry.role().label() + " at " + connection.channel().peer()
                    + " disconnected before the cluster was ready");
        } else if (entry.confirmed) { // a node without its answer joins again, or its silence is detected
            lose(entry, "its session with the scheduler ended");
        }
    }

    private void lose(MemberEntry entry, String reason) {
        entries.remove(entry);
        Member member = entry.member();
        if (state == State.ENDED) {
            changed(List.of());
            return;
        }
        LOG.warn("lost {}: {}", member, reason);
        if (failure == null) {
            failure = new PsException(Code.UNAVAILABLE, "lost " + member + ": " + reason);
        }
        entry.connection.channel().close();
        changed(List.of(new ClusterChange.Loss(member, reason)));
    }

    /** Makes the next state, after nodes have left or were lost. */
    private void changed(List<ClusterChange.Loss> losses) {
        if (state == State.RUNNING && count(Role.WORKER) == 0) {
            state = State.ENDED;
            endedAt = System.nanoTime();
            LOG.info("the job has ended: no worker is left");
        }
        events.changed(members());
        ClusterState now = states.now();
        states.change(nodes(Stream.concat(now.lost().stream(), losses.stream()).toList(), now.owners()));
        if (state == State.ENDED && entries.isEmpty()) {
            events.ended(failure);
        }
    }

    /** Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit. */
    void tick() {
        long now = System.nanoTime();
        long limit = plan.heartbeatLimit().toNanos();
        switch (state) {
            case FORMING -> {
                if (now - started > plan.joinTimeout().toNanos()) {
                    failForming();
                }
            }
            case RUNNING -> {
                for (MemberEntry entry : List.copyOf(entries)) {
                    if (now - entry.lastSeen > limit && entry.beat == null) {
                        lose(
                                entry,
                                entry.silence() + " for "
                                        + plan.heartbeatLimit().toMillis() + " ms");
                    } else if (now - entry.beatSince > limit / 4) {
                        answerBeat(entry);
                    }
                }
            }
            case ENDED -> {
                if (now - endedAt > limit && !entries.isEmpty()) {
                    entries.clear();
                    events.ended(failure);
                }
            }
        }
    }

    private void failForming() {
        failure = new PsException(
                Code.TIMED_OUT,
                "nodes after " + plan.joinTimeout().toMillis() + " ms: " + count(Role.SERVER) + " of " + plan.servers()
                        + " servers and " + count(Role.WORKER) + " of " + plan.workers() + " workers (expected: all)");
        LOG.error("the cluster did not form: {}", failure.detail());
        state = State.ENDED;
        for (MemberEntry entry : List.copyOf(entries)) {
            entry.joined.completeExceptionally(failure);
        }
        entries.clear();
        events.ended(failure);
    }
}
