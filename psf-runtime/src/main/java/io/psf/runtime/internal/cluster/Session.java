package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's session with another node: a sequence of connections. A broken connection is replaced, and calls without an
 * answer are sent again. Thread-safe.
 */
public final class Session {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final long HELLO_LIMIT = Duration.ofSeconds(5).toNanos();

    /** A connection that has lasted for this long was of use, whether or not a call was answered over it. */
    private static final long STABLE = Duration.ofSeconds(1).toNanos();

    private static final long LEAST_CARE = Duration.ofMillis(4).toNanos();
    private static final long MOST_CARE = Duration.ofMillis(128).toNanos();
    /** How often the state of the cluster is looked at while no node has the rank. */
    private static final long ABSENT_PAUSE = Duration.ofMillis(20).toNanos();

    private final CallClient client;
    private final Transport transport;
    private final Ticket ticket;
    /** The rank whose node is at the other end; null if no other node can take its place. */
    private final @Nullable ServerRank rank;

    private volatile Member host;
    private volatile String name;
    private volatile long number;
    /** The epoch in which the node at the other end joined; 0 if that does not matter. */
    private volatile long since;
    /** False if the node at the other end has taken the place of a lost one, and has not answered a hello yet. */
    private volatile boolean isGreeted = true;

    /** Those to replace a broken connection. */
    private final Attempts attempts;

    private final AtomicInteger connections = new AtomicInteger();
    /**
     * How long calls that are sent again wait for the ends of those before, in nanoseconds: if they are sent at once,
     * and each new connection breaks meanwhile, no answer may arrive. 0 while no new connection breaks so soon.
     */
    private volatile long care;
    /** When the latest connection began, as {@link System#nanoTime} counts. */
    private volatile long connected = System.nanoTime();

    /**
     * The node at the other end.
     *
     * @param since the epoch in which it joined; 0 if that does not matter
     * @param rank the rank whose node it is; null if no other node can take its place
     */
    private record Other(
            Member member, long since, @Nullable ServerRank rank) {}

    /**
     * Creates a session that begins with an existing connection.
     *
     * @param host the node at the other end
     * @param ticket the ticket of this node
     * @param number a number from {@link Hello.InSession#number()}
     * @param patience how long the replacement of a broken connection is retried without progress before the other node
     *     counts as lost
     */
    Session(CallClient client, Transport transport, Member host, Ticket ticket, long number, Duration patience) {
        this(client, transport, new Other(host, 0, null), ticket, number, patience);
    }

    private Session(
            CallClient client, Transport transport, Other other, Ticket ticket, long number, Duration patience) {
        this.client = client;
        this.transport = transport;
        this.rank = other.rank();
        this.host = other.member();
        this.since = other.since();
        this.name = name(host);
        this.ticket = ticket;
        this.number = number;
        this.attempts = new Attempts(patience.toNanos());
    }

    /** Returns the name of a node, for messages. There is one scheduler, which has no rank. */
    static String name(Member host) {
        return host.role() == Role.SCHEDULER ? "scheduler (" + host.address() + ")" : host.toString();
    }

    /**
     * Connects to a server and says hello. Retries if the connection breaks meanwhile. Blocks.
     *
     * @param ticket the ticket of this node
     * @param limit how long the server may take
     * @param patience how long the replacement of a connection that breaks later is retried without progress before the
     *     server counts as lost
     * @param gone the reason why the server is known to be gone; null while it is not
     * @param rank the server's rank: the session goes on with the node that takes the place of a lost server, to which
     *     the calls without an answer are sent again
     * @throws PsException if the server refuses, is gone, or is not reached in time
     */
    public static Peer open(
            CallClient client,
            Transport transport,
            ClusterChange.Node node,
            ServerRank rank,
            Ticket ticket,
            Duration limit,
            Duration patience,
            Supplier<@Nullable PsException> gone) {
        ClusterChange.Node latest = node;
        Attempts attempts = new Attempts(limit.toNanos());
        while (true) {
            pause(attempts.next());
            ClusterChange.Node now = rank.node();
            latest = now == null ? latest : now; // another one may have taken the place of a lost server
            Member server = latest.member();
            Other other = new Other(server, latest.since(), rank);
            // Each attempt has a session number of its own: the server may know the previous one, and has run no call
            // for it.
            Session session = new Session(client, transport, other, ticket, Hello.InSession.number(), patience);
            Peer peer = null;
            PsException failure;
            try {
                peer = session.connect();
                Hello.Response hello = session.greet(peer, 0, false, attempts.leftNanos());
                peer.setFunctions(hello.byNumber(), hello.searched());
                if (session.keep(peer)) {
                    return peer;
                }
                failure = new PsException(Code.UNAVAILABLE, peer.name() + ": connection closed");
            } catch (PsException e) {
                failure = e;
            }
            if (peer != null) {
                client.disconnect(peer);
            }
            PsException lost = gone.get();
            if (lost != null) {
                throw lost;
            }
            if (failure.code() != Code.UNAVAILABLE) {
                throw failure;
            }
            if (attempts.areOver()) {
                throw attempts.failure(name(server), "not connected", failure);
            }
            LOG.info("connecting to {} again: {}", server, failure.detail());
        }
    }

    /**
     * Connects to a server without a session: outstanding calls fail when the connection breaks. Blocks.
     *
     * @param ticket the ticket of this node, a server or a guest
     * @throws PsException if the server refuses, or is not reached in time
     */
    public static Peer without(CallClient client, Transport transport, Member server, Ticket ticket, Duration limit) {
        Session none = new Session(client, transport, server, ticket, 0, Duration.ZERO);
        Peer peer = none.connect();
        try {
            Hello.Response hello = none.greet(peer, 0, false, limit.toNanos());
            peer.setFunctions(hello.byNumber(), hello.searched());
            return peer;
        } catch (PsException e) {
            client.disconnect(peer);
            throw e;
        }
    }

    /**
     * Makes the session replace the peer's connection whenever it breaks.
     *
     * @return false if it has already broken
     */
    boolean keep(Peer peer) {
        return peer.onDisconnect(this::reconnect);
    }

    private Peer connect() {
        return client.connect(transport, host.host(), host.port(), name);
    }

    /** Answers the node's challenge with a hello. Ignored by {@code awaitAll}. */
    private Hello.Response greet(Peer peer, int connection, boolean again, long limit) {
        long until = System.nanoTime() + limit;
        long least = Math.max(1, limit);
        Challenge.Response challenge = again
                ? FirstCall.challengeAgain(client, peer, least)
                : FirstCall.challenge(client, peer, host.role(), least);
        Hello.Request hello = ticket.hello(host, number, connection, challenge.nonce());
        Hello.Response answer = client.callInBackground(
                        HelloPsf.FUNCTION, hello, peer, Math.max(1, until - System.nanoTime()))
                .await();
        Protocol.OWN.agree(answer.protocol());
        return answer;
    }

    /** Starts a thread that reconnects, until it succeeds or the node counts as lost. */
    private void reconnect(Peer peer) {
        attempts.restart();
        broken(peer.takeProgress() || System.nanoTime() - connected > STABLE);
        try {
            Thread thread = new Thread(() -> connectAgain(peer), "psf-reconnect");
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) { // the calls would wait for a connection that no thread makes
            client.peerLost(peer, new PsException(Code.UNAVAILABLE, name + ": no thread to connect again: " + e, e));
        }
    }

    /** Makes the next attempts quicker if the connection that broke was of use, and else slower and more careful. */
    private void broken(boolean wasOfUse) {
        if (wasOfUse) {
            attempts.progress();
            care = care / 2 < LEAST_CARE ? 0 : care / 2;
        } else {
            care = Math.max(LEAST_CARE, Math.min(2 * care, MOST_CARE));
        }
    }

    private void connectAgain(Peer peer) {
        boolean told = false;
        while (!peer.isLost()) {
            if (!follow()) {
                pause(ABSENT_PAUSE);
                continue; // until a node has the rank, or the state says that none will
            }
            pause(attempts.next());
            PsException failure = tryAgain(peer);
            if (failure == null) {
                LOG.info("the connection to {} broke, and was made again", name);
                return;
            }
            if (failure.code() == Code.CLOSED && isReplaced()) {
                continue;
            }
            if (failure.code() == Code.CLOSED) {
                String detail = name + ": " + Attempts.without(name, failure.detail());
                client.peerLost(peer, new PsException(Code.UNAVAILABLE, detail, failure));
                return;
            }
            if (attempts.areOver() && isGreeted) { // a node in the place of a lost one loads its slices first
                client.peerLost(peer, attempts.failure(name, "not connected again, and no call answered", failure));
                return;
            }
            if (!told && !peer.isLost()) {
                told = true;
                LOG.warn("the connection to {} broke; connecting again: {}", name, failure.detail());
            }
        }
    }

    /**
     * Turns to the node that has the server's rank now.
     *
     * @return false if none has it
     */
    private boolean follow() {
        ClusterChange.Node now = rank == null ? null : rank.node();
        if (now != null && now.since() != since) {
            since = now.since();
            host = now.member();
            name = name(host);
            isGreeted = false;
            attempts.restart();
        }
        return rank == null || now != null;
    }

    /** True if another node has the server's rank by now, or is expected to take it. */
    private boolean isReplaced() {
        if (rank == null) {
            return false;
        }
        rank.refresh();
        ClusterChange.Node now = rank.node();
        return now == null ? rank.isAwaited() : now.since() != since;
    }

    /** Tries to replace the connection once. Returns the reason of a failure; null on success. */
    private @Nullable PsException tryAgain(Peer peer) {
        Peer fresh = null;
        try {
            fresh = connect();
            if (isGreeted) {
                greet(fresh, connections.incrementAndGet(), true, HELLO_LIMIT);
            } else {
                number = Hello.InSession.number(); // as in open
                connections.set(0);
                Hello.Response hello = greet(fresh, 0, true, HELLO_LIMIT);
                peer.succeed(name, hello.byNumber(), hello.searched());
                isGreeted = true;
                LOG.info("{} has taken the place of a lost server", name);
            }
            connected = System.nanoTime();
            if (client.resume(peer, fresh, care)) {
                return null;
            }
            broken(peer.takeProgress());
            return new PsException(
                    Code.UNAVAILABLE, "the new connection broke before all calls without an answer were sent again");
        } catch (PsException e) {
            if (fresh == null) {
                return e;
            }
            client.disconnect(fresh);
            return FirstCall.ofReconnection(fresh, e);
        }
    }

    /** Sleeps between two attempts. It does not park: the call of the attempt before may wake this thread later. */
    static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(Code.CANCELLED, "interrupted while connecting", e);
        }
    }
}
