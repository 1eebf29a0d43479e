package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.cluster.ClusterLink;
import io.psf.runtime.cluster.Session;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The sessions of a worker with the servers, and the servers that are gone. Thread-safe. */
final class ServerLinks {
    private final Client client;
    private final Transport transport;
    private final ClusterLink link;
    private final Supplier<@Nullable PsException> ended;
    private final List<Peer> peers = new CopyOnWriteArrayList<>();
    private final Map<Integer, PsException> gone = new ConcurrentHashMap<>();

    /**
     * Creates the links of a worker that has joined.
     *
     * @param ended the reason why the worker cannot make calls any more; null while it can
     */
    ServerLinks(Client client, Transport transport, ClusterLink link, Supplier<@Nullable PsException> ended) {
        this.client = client;
        this.transport = transport;
        this.link = link;
        this.ended = ended;
    }

    /**
     * Opens a session with each server of the cluster. Blocks.
     *
     * @throws PsException if a server refuses, is gone, or is not reached in time
     */
    void open(Duration limit) {
        for (Member member : link.first().members()) {
            if (member.role() == Role.SERVER) {
                open(member, limit);
            }
        }
    }

    private void open(Member server, Duration limit) {
        Peer peer = Session.open(client, transport, server, link.ticket(), limit, Defaults.RECONNECT, () -> {
            PsException cause = ended.get();
            return cause != null ? cause : gone.get(server.rank());
        });
        peer.keepAlive(link.heartbeatLimit().toNanos());
        peers.add(peer);
        loseIfGone(server.rank());
    }

    /** Returns the servers by rank. */
    List<Peer> peers() {
        return peers;
    }

    /** Marks a server as gone: its calls fail. Ignores members of other roles. */
    void lost(Member member, String why) {
        if (member.role() == Role.SERVER) {
            gone.putIfAbsent(member.rank(), new PsException(Code.UNAVAILABLE, why));
            loseIfGone(member.rank());
        }
    }

    /**
     * Fails the peer's calls if the server is gone. Both threads call this, the one that adds the peer and the one that
     * learns of the loss: whichever is later sees both facts.
     */
    private void loseIfGone(int rank) {
        PsException why = gone.get(rank);
        if (why != null && rank < peers.size()) { // a server that is not connected yet has no calls
            client.peerLost(peers.get(rank), why);
        }
    }

    void disconnect() {
        peers.forEach(client::disconnect);
    }
}
