package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorLayout;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.EndSession;
import io.psf.runtime.internal.cluster.EndSessionPsf;
import io.psf.runtime.internal.cluster.ServerRank;
import io.psf.runtime.internal.cluster.Session;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a worker with the servers of the cluster's state. A server that the state has not any more is lost
 * for the worker. Thread-safe.
 */
final class ServerLinks {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLinks.class);
    private static final long PRESENT_PAUSE = Duration.ofMillis(20).toNanos();

    private final CallClient client;
    private final Transport transport;
    private final ClusterLink link;
    private final Duration reconnectLimit;
    private final Supplier<@Nullable PsException> ended;
    /** By rank. Replaced with each server that is connected. */
    private volatile List<Peer> peers = List.of();

    /**
     * Creates the links of a worker that has joined.
     *
     * @param reconnectLimit how long a broken connection is replaced without progress before its server counts as lost
     * @param ended the reason why the worker cannot make calls any more; null while it can
     */
    ServerLinks(
            CallClient client,
            Transport transport,
            ClusterLink link,
            Duration reconnectLimit,
            Supplier<@Nullable PsException> ended) {
        this.client = client;
        this.transport = transport;
        this.link = link;
        this.reconnectLimit = link.reconnectLimit(reconnectLimit);
        this.ended = ended;
    }

    /**
     * Opens a session with each server of a state. Blocks.
     *
     * @throws PsException if a server refuses, is gone, or is not reached in time
     */
    void open(ClusterState state, Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        for (int rank = 0; rank < state.formedServers(); rank++) {
            open(present(rank, until), limit);
        }
    }

    /** Returns the node of a rank. Waits while it is awaited. */
    private ClusterChange.Node present(int rank, long until) {
        while (true) {
            ClusterState state = link.view().state();
            ClusterChange.Node found = state.node(Role.SERVER, rank);
            PsException why = ended.get();
            if (found != null && why == null) {
                return found;
            } else if (why != null || !state.awaits(rank) || System.nanoTime() - until > 0) {
                ClusterChange.Loss loss = state.loss(rank);
                throw why != null ? why : loss == null ? left("server " + rank) : lost(loss);
            }
            LockSupport.parkNanos(PRESENT_PAUSE);
        }
    }

    private void open(ClusterChange.Node node, Duration limit) {
        Member server = node.member();
        Peer peer = Session.open(
                client, transport, node, new Rank(server.rank()), link.ticket(), limit, reconnectLimit, () -> {
                    PsException cause = ended.get();
                    return cause != null ? cause : gone(link.view().state(), server.rank(), server.toString());
                });
        peer.keepAlive(link.limits().heartbeat().toNanos());
        List<Peer> more = new ArrayList<>(peers);
        more.add(peer);
        peers = List.copyOf(more);
        apply(link.view().state()); // it may have been lost before it was among the peers
    }

    /** Returns the servers by rank. */
    List<Peer> peers() {
        return peers;
    }

    /**
     * Returns the servers that a call to all servers is for: the servers that are present or lost. A server that has
     * left is neither, unless all have left: the call names one of them.
     *
     * @param withoutLost true to leave out servers that are lost for good
     */
    List<Peer> all(boolean withoutLost) {
        List<Peer> known = peers;
        ClusterState state = link.view().state();
        List<Peer> all = state.servers().stream()
                .filter(rank -> rank < known.size())
                .filter(rank -> !withoutLost || state.server(rank) != null || state.awaits(rank))
                .map(known::get)
                .toList();
        return all.isEmpty() ? known : all;
    }

    /**
     * Checks that no slice of a tensor is on a server that is lost for good, or has left.
     *
     * @throws PsException with {@code UNAVAILABLE}, naming the tensor and the server
     */
    void requirePresent(TensorLayout layout) {
        ClusterState state = link.view().state();
        for (int rank : layout.servers()) {
            PsException why = gone(state, rank, "server " + rank);
            if (why != null) {
                throw new PsException(
                        why.code(),
                        "tensor \"" + layout.info().id() + "\": has slices on server " + rank + ", " + why.detail()
                                + " (expected: all of its servers; start the cluster again and load a checkpoint;"
                                + " with PSF_SERVER_RETURN another server takes the place of a lost one)",
                        why);
            }
        }
    }

    /** Returns the media of the connections to the servers, for messages. */
    String media() {
        return peers.stream().map(peer -> peer.channel().medium()).distinct().collect(Collectors.joining(", and "));
    }

    /** The rank of a server. */
    private final class Rank implements ServerRank {
        private final int rank;

        Rank(int rank) {
            this.rank = rank;
        }

        @Override
        public ClusterChange.@Nullable Node node() {
            return link.view().state().node(Role.SERVER, rank);
        }

        @Override
        public boolean isAwaited() {
            return link.view().state().awaits(rank);
        }

        @Override
        public void refresh() {
            link.refresh();
        }
    }

    /**
     * Ends the connections to the servers whose nodes have changed: their calls wait for the nodes that take their
     * places.
     */
    void apply(ClusterState before, ClusterState now) {
        List<Peer> known = peers;
        for (int rank = 0; rank < known.size(); rank++) {
            ClusterChange.Node was = before.node(Role.SERVER, rank);
            if (was != null
                    && !was.equals(now.node(Role.SERVER, rank))
                    && (now.awaits(rank) || now.server(rank) != null)) {
                known.get(rank).renew();
            }
        }
        apply(now);
    }

    /** Fails the calls to the servers that a state does not have and that are not awaited. */
    private void apply(ClusterState state) {
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
        if (state.server(rank) != null || state.awaits(rank)) {
            return null;
        }
        ClusterChange.Loss loss = state.loss(rank);
        return loss == null ? left(name) : lost(loss);
    }

    private static PsException lost(ClusterChange.Loss loss) {
        return new PsException(Code.UNAVAILABLE, "lost " + loss.member() + ": " + loss.reason());
    }

    private static PsException left(String name) {
        return new PsException(
                Code.UNAVAILABLE,
                name + " has left the cluster (expected: all of its servers, since its slices are gone with it)");
    }

    /** Tells the servers that the sessions are not needed any more. Waits for their answers, at most for a limit. */
    void endSessions(Duration limit) {
        List<Call<?>> calls = new ArrayList<>();
        for (Peer peer : peers) {
            if (!peer.isLost()) {
                calls.add(client.callInBackground(
                        EndSessionPsf.FUNCTION, new EndSession.Request(), peer, limit.toNanos()));
            }
        }
        for (Call<?> call : calls) {
            try {
                call.await();
            } catch (PsException e) { // the session ends when it has had no connection for long enough
                LOG.debug("ending a session: {}", e.getMessage());
            }
        }
    }

    void disconnect() {
        peers.forEach(client::disconnect);
    }
}
