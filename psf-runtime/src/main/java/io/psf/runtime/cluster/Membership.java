package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.session.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of the cluster. Forms the cluster, assigns ranks, detects lost nodes, and determines the end of the job.
 * Used on the scheduler's lane.
 */
final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    /** Host names and addresses that are safe to print in a log. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,255}");

    private static final Pattern NOT_OF_A_HOST = Pattern.compile("[^A-Za-z0-9._:%\\[\\]-]");
    private static final int MOST_PRINTED = 255;

    private enum State {
        FORMING,
        RUNNING,
        ENDED
    }

    /**
     * A node. It survives the loss of its channel. Until its first message after the join it survives the loss of its
     * connection as well.
     */
    private static final class Entry {
        final Join.Request request;
        Connection connection;
        CompletableFuture<Join.Response> joined = new CompletableFuture<>();
        /** True if the node is known to have received the answer to its join. */
        boolean confirmed;

        int rank;
        long lastSeen = System.nanoTime();
        long beatSince;

        @Nullable
        CompletableFuture<Beat.Response> beat;

        Entry(Connection connection, Join.Request request) {
            this.connection = connection;
            this.request = request;
            this.rank = request.rank();
        }

        Member member() {
            return new Member(request.role(), rank, request.host(), request.port());
        }

        String place() {
            return request.role() == Role.SERVER
                    ? request.host() + ":" + request.port()
                    : connection.channel().peer();
        }

        void heard() {
            confirmed = true;
            lastSeen = System.nanoTime();
        }
    }

    private final int servers;
    private final int workers;
    private final long joinTimeout;
    private final long heartbeatLimit;
    private final CompletableFuture<ClusterFunctions.Home> home;
    private final Consumer<List<Member>> onChange;
    private final Consumer<@Nullable PsException> onEnd;
    private final long started = System.nanoTime();
    private final List<Entry> entries = new ArrayList<>();
    private final List<Beat.Loss> lost = new ArrayList<>();
    private State state = State.FORMING;
    private @Nullable PsException failure;
    private long endedAt;
    private long epoch = 1;

    /**
     * Creates an empty cluster.
     *
     * @param home holds the nodes' sessions; completed before the first node joins
     * @param onChange receives the members after every change
     * @param onEnd called once, after all nodes have gone: with a failure if the job ended badly, else null
     */
    Membership(
            int servers,
            int workers,
            Duration joinTimeout,
            Duration heartbeatLimit,
            CompletableFuture<ClusterFunctions.Home> home,
            Consumer<List<Member>> onChange,
            Consumer<@Nullable PsException> onEnd) {
        this.servers = servers;
        this.workers = workers;
        this.joinTimeout = joinTimeout.toNanos();
        this.heartbeatLimit = heartbeatLimit.toNanos();
        this.home = home;
        this.onChange = onChange;
        this.onEnd = onEnd;
    }

    CompletableFuture<Join.Response> join(Join.Request request, Connection connection) {
        requireNode(request);
        if (entry(connection) != null || connection.member() != null) {
            throw new PsException(Code.BAD_REQUEST, "join: a second one on this connection (expected: one)");
        }
        for (Entry other : entries) {
            if (other.request.session() == request.session() && state != State.ENDED) {
                return joinAgain(other, request, connection);
            }
        }
        requireFree(request);
        Role role = request.role();
        Entry entry = new Entry(connection, request);
        entries.add(entry);
        LOG.info(
                "{} joined from {} ({} of {} servers, {} of {} workers)",
                role.label(),
                entry.place(),
                count(Role.SERVER),
                servers,
                count(Role.WORKER),
                workers);
        if (entries.size() == servers + workers) {
            complete();
        }
        return entry.joined;
    }

    /** Validates the node's own description, since it is logged and sent to other nodes. */
    private static void requireNode(Join.Request request) {
        if (request.role() == Role.SCHEDULER) {
            throw new PsException(Code.BAD_REQUEST, "role: scheduler (expected: server or worker)");
        }
        if (request.session() == 0) {
            throw new PsException(Code.BAD_REQUEST, "session of a join: 0 (expected: a number of its own, not 0)");
        }
        boolean listens = request.role() == Role.SERVER;
        boolean isPlace = listens
                ? HOST.matcher(request.host()).matches() && request.port() > 0 && request.port() < 1 << 16
                : request.host().isEmpty() && request.port() == 0;
        if (!isPlace) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "place of a " + request.role().label() + ": " + printable(request.host()) + ":" + request.port()
                            + (listens
                                    ? " (expected: a host and a port)"
                                    : " (expected: none, since it does not listen)"));
        }
    }

    private static String printable(String text) {
        return NOT_OF_A_HOST
                .matcher(text.substring(0, Math.min(text.length(), MOST_PRINTED)))
                .replaceAll("?");
    }

    private void requireFree(Join.Request request) {
        Role role = request.role();
        int expected = role == Role.SERVER ? servers : workers;
        if (state != State.FORMING || count(role) == expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another " + role.label() + ": the cluster has its " + servers + " servers and " + workers
                            + " workers (expected: as many nodes as the scheduler was configured for)");
        }
        if (request.rank() >= expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of a " + role.label() + ": " + request.rank() + " (expected: below " + expected + ")");
        }
        for (Entry other : entries) {
            if (other.request.role() == role && request.rank() >= 0 && other.request.rank() == request.rank()) {
                throw new PsException(
                        Code.BAD_REQUEST,
                        "rank of a " + role.label() + ": " + request.rank()
                                + " (expected: one that no other node asked for)");
            }
        }
    }

    /** Accepts a node again whose connection broke before it received the answer to its join. */
    private CompletableFuture<Join.Response> joinAgain(Entry entry, Join.Request request, Connection connection) {
        if (entry.confirmed || !entry.request.equals(request)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "session of a join: in use already (expected: a number of its own, not that of another node)");
        }
        LOG.info(
                "{} joined again from {}",
                request.role().label(),
                connection.channel().peer());
        Connection broken = entry.connection;
        entry.connection = connection;
        entry.lastSeen = System.nanoTime();
        dispatcher().drop(broken);
        if (state == State.RUNNING) {
            admit(entry);
        } else {
            entry.joined = new CompletableFuture<>();
        }
        return entry.joined;
    }

    private Dispatcher dispatcher() {
        return home.join().dispatcher();
    }

    /** Opens the session of a node of a complete cluster, and answers its join. */
    private void admit(Entry entry) {
        Tickets tickets = home.join().tickets();
        entry.lastSeen = System.nanoTime();
        dispatcher().open(entry.connection, entry.member(), entry.request.session());
        Join.Response answer = new Join.Response(
                entry.rank,
                tickets.cluster(),
                heartbeatLimit / 1_000_000,
                members(),
                tickets.of(entry.request.role(), entry.rank).secret(),
                entry.request.role() == Role.SERVER ? tickets.key() : new byte[0]);
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
        for (Entry entry : entries) {
            if (entry.request.role() == hello.role() && entry.rank == hello.rank() && state != State.FORMING) {
                dispatcher().resume(connection, entry.member(), hello.session(), hello.connection());
                entry.heard();
                return;
            }
        }
        throw new PsException(
                Code.CLOSED, "this node counts as lost (expected: a heartbeat in time); it must be restarted");
    }

    private int count(Role role) {
        return (int) entries.stream().filter(e -> e.request.role() == role).count();
    }

    private void complete() {
        rank(Role.SERVER);
        rank(Role.WORKER);
        state = State.RUNNING;
        entries.sort(Comparator.comparing((Entry e) -> e.request.role()).thenComparing(e -> e.rank));
        for (Entry entry : entries) {
            LOG.info("{} at {} has rank {}", entry.request.role().label(), entry.place(), entry.rank);
        }
        LOG.info("cluster is ready: {} servers and {} workers", servers, workers);
        onChange.accept(members());
        List.copyOf(entries).forEach(this::admit);
    }

    /** Assigns ranks to the nodes that requested none, in the order in which they joined. */
    private void rank(Role role) {
        BitSet taken = new BitSet();
        for (Entry entry : entries) {
            if (entry.request.role() == role && entry.rank >= 0) {
                taken.set(entry.rank);
            }
        }
        for (Entry entry : entries) {
            if (entry.request.role() == role && entry.rank < 0) {
                entry.rank = taken.nextClearBit(0);
                taken.set(entry.rank);
            }
        }
    }

    List<Member> members() {
        return entries.stream().map(Entry::member).toList();
    }

    CompletableFuture<Beat.Response> beat(long known, Connection connection) {
        Entry entry = entry(connection);
        if (entry == null) {
            throw new PsException(
                    Code.UNAVAILABLE, "this node counts as lost (expected: a heartbeat in time); it must be restarted");
        }
        entry.heard();
        if (known != epoch) {
            return CompletableFuture.completedFuture(now());
        }
        CompletableFuture<Beat.Response> answer = new CompletableFuture<>();
        entry.beat = answer;
        entry.beatSince = entry.lastSeen;
        return answer;
    }

    private Beat.Response now() {
        return new Beat.Response(epoch, state == State.ENDED, members(), lost);
    }

    private @Nullable Entry entry(Connection connection) {
        for (Entry entry : entries) {
            if (entry.connection == connection) {
                return entry;
            }
        }
        return null;
    }

    void leave(Connection connection) {
        Entry entry = entry(connection);
        if (entry != null) {
            entries.remove(entry);
            LOG.info("{} {} left", entry.request.role().label(), entry.rank);
            changed();
        }
    }

    /** Removes the node of a connection that has ended together with its session. */
    void closed(Connection connection) {
        Entry entry = entry(connection);
        if (entry == null) {
            return;
        }
        if (state == State.FORMING) {
            entries.remove(entry);
            LOG.warn(
                    "{} at {} disconnected before the cluster was ready",
                    entry.request.role().label(),
                    connection.channel().peer());
        } else if (entry.confirmed) { // a node without its answer joins again, or its silence is detected
            lose(entry, "its session with the scheduler ended");
        }
    }

    private void lose(Entry entry, String reason) {
        entries.remove(entry);
        Member member = entry.member();
        if (state == State.ENDED) {
            changed();
            return;
        }
        LOG.warn("lost {}: {}", member, reason);
        lost.add(new Beat.Loss(member, reason));
        if (failure == null) {
            failure = new PsException(Code.UNAVAILABLE, "lost " + member + ": " + reason);
        }
        entry.connection.channel().close();
        changed();
    }

    private void changed() {
        epoch++;
        if (state == State.RUNNING && count(Role.WORKER) == 0) {
            state = State.ENDED;
            endedAt = System.nanoTime();
            LOG.info("the job has ended: no worker is left");
        }
        onChange.accept(members());
        for (Entry entry : List.copyOf(entries)) {
            answerBeat(entry);
        }
        if (state == State.ENDED && entries.isEmpty()) {
            onEnd.accept(failure);
        }
    }

    private void answerBeat(Entry entry) {
        CompletableFuture<Beat.Response> beat = entry.beat;
        if (beat != null) {
            entry.beat = null;
            beat.complete(now());
        }
    }

    /** Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit. */
    void tick() {
        long now = System.nanoTime();
        switch (state) {
            case FORMING -> {
                if (now - started > joinTimeout) {
                    failForming();
                }
            }
            case RUNNING -> {
                for (Entry entry : List.copyOf(entries)) {
                    if (now - entry.lastSeen > heartbeatLimit && entry.beat == null) {
                        lose(entry, silence(entry) + " for " + heartbeatLimit / 1_000_000 + " ms");
                    } else if (now - entry.beatSince > heartbeatLimit / 4) {
                        answerBeat(entry);
                    }
                }
            }
            case ENDED -> {
                if (now - endedAt > heartbeatLimit && !entries.isEmpty()) {
                    entries.clear();
                    onEnd.accept(failure);
                }
            }
        }
    }

    private static String silence(Entry entry) {
        return entry.connection.channel().isOpen()
                ? "no heartbeat"
                : "no connection to the scheduler, and no heartbeat,";
    }

    private void failForming() {
        failure = new PsException(
                Code.TIMED_OUT,
                "nodes after " + joinTimeout / 1_000_000 + " ms: " + count(Role.SERVER) + " of " + servers
                        + " servers and " + count(Role.WORKER) + " of " + workers + " workers (expected: all)");
        LOG.error("the cluster did not form: {}", failure.detail());
        state = State.ENDED;
        for (Entry entry : List.copyOf(entries)) {
            entry.joined.completeExceptionally(failure);
        }
        entries.clear();
        onEnd.accept(failure);
    }
}
