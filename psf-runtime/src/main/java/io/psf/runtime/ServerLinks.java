package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.cluster.ClusterChange;
import io.psf.runtime.cluster.ClusterLink;
import io.psf.runtime.cluster.ClusterState;
import io.psf.runtime.cluster.Session;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a worker with the servers of the cluster's state. A server that the state has not any more is lost for
 * the worker. Thread-safe.
 */
final class ServerLinks {
    private final Client client;
    private final Transport transport;
    private final ClusterLink link;
    private final Supplier<@Nullable PsException> ended;
    /** By rank. Replaced with each server that is connected. */
    private volatile List<Peer> peers = List.of();

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
     * Opens a session with each server of a state. Blocks.
     *
     * @throws PsException if a server refuses, is gone, or is not reached in time
     */
    void open(ClusterState state, Duration limit) {
        for (Member member : state.members()) {
            if (member.role() == Role.SERVER) {
                open(member, limit);
            }
        }
    }

    private void open(Member server, Duration limit) {
        if (server.rank() != peers.size()) {
            throw new PsException(
                    Code.PROTOCOL,
                    "rank of a server: " + server.rank() + " (expected: " + peers.size() + ", the next)");
        }
        Peer peer = Session.open(client, transport, server, link.ticket(), limit, Defaults.RECONNECT, () -> {
            PsException cause = ended.get();
            return cause != null ? cause : gone(link.view().state(), server.rank(), server.toString());
        });
        peer.keepAlive(link.heartbeatLimit().toNanos());
        List<Peer> more = new ArrayList<>(peers);
        more.add(peer);
        peers = List.copyOf(more);
        apply(link.view().state()); // it may have been lost before it was among the peers
    }

    /** Returns the servers by rank. */
    List<Peer> peers() {
        return peers;
    }

    /** Fails the calls to the servers that a state does not have. */
    void apply(ClusterState state) {
        List<Peer> known = peers; // a server that is not connected yet has no calls
        for (int rank = 0; rank < known.size(); rank++) {
            PsException why = gone(state, rank, known.get(rank).name());
            if (why != null && !known.get(rank).isLost()) {
                client.peerLost(known.get(rank), why);
            }
        }
    }

    /** Returns why a state does not have a server; null if it has. */
    private static @Nullable PsException gone(ClusterState state, int rank, String name) {
        if (state.server(rank) != null) {
            return null;
        }
        for (ClusterChange.Loss loss : state.lost()) {
            if (loss.member().role() == Role.SERVER && loss.member().rank() == rank) {
                return new PsException(Code.UNAVAILABLE, "lost " + loss.member() + ": " + loss.reason());
            }
        }
        return new PsException(Code.UNAVAILABLE, name + " has left the cluster");
    }

    void disconnect() {
        peers.forEach(client::disconnect);
    }
}
