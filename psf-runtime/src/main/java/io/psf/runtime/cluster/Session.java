package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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
    private static final long FIRST_PAUSE = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long HELLO_LIMIT = Duration.ofSeconds(5).toNanos();

    private final Client client;
    private final Transport transport;
    private final Member host;
    private final String name;
    private final Ticket ticket;
    private final long number;
    private final long patience;
    private final AtomicInteger connections = new AtomicInteger();

    /**
     * Creates a session that begins with an existing connection.
     *
     * @param host the node at the other end
     * @param ticket the ticket of this node
     * @param number a number from {@link Hello.InSession#number()}
     * @param patience how long the replacement of a broken connection is retried before the other node counts as lost
     */
    Session(Client client, Transport transport, Member host, Ticket ticket, long number, Duration patience) {
        this.client = client;
        this.transport = transport;
        this.host = host;
        this.name = name(host);
        this.ticket = ticket;
        this.number = number;
        this.patience = patience.toNanos();
    }

    /** Returns the name of a node, for messages. There is one scheduler, which has no rank. */
    static String name(Member host) {
        return host.role() == Role.SCHEDULER ? "scheduler (" + host.host() + ":" + host.port() + ")" : host.toString();
    }

    /**
     * Connects to a server and says hello. Retries if the connection breaks meanwhile. Blocks.
     *
     * @param ticket the ticket of this node
     * @param limit how long the server may take
     * @param patience how long the replacement of a connection that breaks later is retried before the server counts as
     *     lost
     * @param gone the reason why the server is known to be gone; null while it is not
     * @throws PsException if the server refuses, is gone, or is not reached in time
     */
    public static Peer open(
            Client client,
            Transport transport,
            Member server,
            Ticket ticket,
            Duration limit,
            Duration patience,
            Supplier<@Nullable PsException> gone) {
        long giveUp = System.nanoTime() + limit.toNanos();
        long pause = FIRST_PAUSE;
        while (true) {
            // Each attempt has a session number of its own: the server may know the previous one, and has run no call
            // for it.
            Session session = new Session(client, transport, server, ticket, Hello.InSession.number(), patience);
            Peer peer = null;
            PsException failure;
            try {
                peer = session.connect();
                Hello.Response hello = session.greet(peer, 0, giveUp - System.nanoTime());
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
            if (failure.code() != Code.UNAVAILABLE || System.nanoTime() - giveUp > 0) {
                throw failure;
            }
            LOG.info("connecting to {} again: {}", server, failure.detail());
            pause(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }

    /**
     * Connects to a server without a session: outstanding calls fail when the connection breaks. Blocks.
     *
     * @param ticket the ticket of this node, a server or a guest
     * @throws PsException if the server refuses, or is not reached in time
     */
    public static Peer without(Client client, Transport transport, Member server, Ticket ticket, Duration limit) {
        Session none = new Session(client, transport, server, ticket, 0, Duration.ZERO);
        Peer peer = none.connect();
        try {
            Hello.Response hello = none.greet(peer, 0, limit.toNanos());
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
    private Hello.Response greet(Peer peer, int connection, long limit) {
        long until = System.nanoTime() + limit;
        byte[] nonce = FirstCall.challenge(client, peer, host.role(), Math.max(1, limit));
        Hello.Request hello = ticket.hello(host, number, connection, nonce);
        Hello.Response answer = client.callInBackground(
                        HelloPsf.FUNCTION, hello, peer, Math.max(1, until - System.nanoTime()))
                .await();
        Protocol.OWN.agree(answer.protocol());
        return answer;
    }

    /** Starts a thread that reconnects, until it succeeds or the node counts as lost. */
    private void reconnect(Peer peer) {
        long giveUp = System.nanoTime() + patience;
        try {
            Thread thread = new Thread(() -> reconnect(peer, giveUp), "psf-reconnect");
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) { // the calls would wait for a connection that no thread makes
            client.peerLost(peer, new PsException(Code.UNAVAILABLE, name + ": no thread to connect again: " + e, e));
        }
    }

    private void reconnect(Peer peer, long giveUp) {
        boolean told = false;
        long pause = FIRST_PAUSE;
        while (!peer.isLost()) {
            PsException failure = tryAgain(peer);
            if (failure == null) {
                LOG.info("the connection to {} broke, and was made again", name);
                return;
            }
            if (failure.code() == Code.CLOSED || System.nanoTime() - giveUp > 0) {
                client.peerLost(peer, new PsException(Code.UNAVAILABLE, named(failure.detail()), failure));
                return;
            }
            if (!told && !peer.isLost()) {
                told = true;
                LOG.warn("the connection to {} broke; connecting again: {}", name, failure.detail());
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }

    private String named(String detail) {
        return detail.startsWith(name + ": ") ? detail : name + ": " + detail;
    }

    /** Tries to replace the connection once. Returns the reason of a failure; null on success. */
    private @Nullable PsException tryAgain(Peer peer) {
        Peer fresh = null;
        try {
            fresh = connect();
            greet(fresh, connections.incrementAndGet(), HELLO_LIMIT);
            return client.resume(peer, fresh)
                    ? null
                    : new PsException(Code.UNAVAILABLE, "the new connection broke, too");
        } catch (PsException e) {
            if (fresh != null) {
                client.disconnect(fresh);
            }
            return e;
        }
    }

    /** Sleeps between two attempts. */
    static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            Thread.currentThread().interrupt();
            throw new PsException(Code.CANCELLED, "interrupted while connecting");
        }
    }
}
