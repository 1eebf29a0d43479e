package io.psf.runtime;

import io.psf.api.Caller;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.ServiceClassPath;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterFunctions;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.Identity;
import io.psf.runtime.internal.cluster.RestoreFromPsf;
import io.psf.runtime.internal.cluster.ServerFunctions;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.node.Recovery;
import io.psf.runtime.internal.server.shard.HostShard;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts with which a server serves: the memory of its shards, its lanes, the connections of its peers, and the
 * dispatcher. They are made before the server knows its cluster; peers are admitted once it does. Thread-safe.
 */
final class ServingSide {
    private static final Logger LOG = LoggerFactory.getLogger(ServingSide.class);

    private final Placements placements;
    private final HostNode host;
    private final Connections connections;
    private final Dispatcher dispatcher;
    private final CompletableFuture<Identity> joined = new CompletableFuture<>();
    private final CompletableFuture<Void> restored = new CompletableFuture<>();

    /** Makes the parts, which are closed with the node. */
    ServingSide(ServerConfig config, NodeResources node, Handlers handlers, List<HandlerInterceptor> interceptors) {
        ServerConfig.Storage storage = config.storage();
        prepare(storage.checkpoints());
        FramePool pool = node.pool();
        Store store = node.receiver(
                storage.mapped() == null
                        ? Stores.inMemory(MemoryLimit.of(storage.tensorMemory()))
                        : Stores.inFiles(storage.mapped()));
        this.placements = placements(store, storage.devices());
        handlers.logChoices(kind -> !placements.isHostAlone() || kind.isAssignableFrom(HostShard.class));
        if (placements.hostMemory() != null) {
            pool.allocateLarge(placements.hostMemory());
        }
        this.host = HostNode.start("psf-server", Role.SERVER, config.lanes(), placements, storage.checkpoints(), pool);
        this.connections = new Connections(host, pool, Defaults.CONNECTION_BOUND);
        this.dispatcher = node.receiver(new Dispatcher(
                host,
                connections,
                pool,
                ServerFunctions.bind(handlers, host, connections, joined, restored),
                ClusterFunctions.OPEN_TO_STRANGERS));
        List<HandlerInterceptor> around = new ArrayList<>(interceptors);
        around.addAll(Listeners.found(HandlerInterceptor.class));
        host.intercept(around);
        node.every(Defaults.TICK, connections::expire);
    }

    /** Creates the place of checkpoints: a save after hours of training is too late to learn that it cannot be. */
    private static void prepare(@Nullable CheckpointStore checkpoints) {
        if (checkpoints != null) {
            try {
                checkpoints.prepare();
            } catch (IOException e) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "directory for checkpoints: " + checkpoints + ", " + e
                                + " (expected: one that this server can create and write)");
            }
        }
    }

    private static Placements placements(Store store, List<Integer> devices) {
        Placements placements = Placements.found(ServiceClassPath.of(ServingSide.class), store, devices);
        LOG.info("placements of shards: {}", placements);
        placements.unavailable().forEach(sentence -> LOG.warn("{}", sentence));
        return placements;
    }

    Placements placements() {
        return placements;
    }

    HostNode host() {
        return host;
    }

    Connections connections() {
        return connections;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    /**
     * Serves the members of the cluster that the server has joined.
     *
     * @param checks true if the frames of all connections have checksums, over a network
     */
    void joined(ClusterLink link, boolean checks) {
        host.setRank(link.rank());
        host.setMembers(link.first().counted());
        host.setDeclarations(link.view());
        host.setRecovery(new Recovery() {
            @Override
            public CompletableFuture<Void> tell(Caller caller, RestorePoint point) {
                return RestoreFromPsf.stub(caller)
                        .call(point.model(), point.all(), point.loaded(), point.rollback(), point.revoked())
                        .toCompletableFuture()
                        .thenApply(done -> null);
            }

            @Override
            public boolean hasAllServers() {
                return link.view().state().lost().stream()
                        .allMatch(loss -> loss.awaited() || loss.member().role() != Role.SERVER);
            }

            @Override
            public boolean isRestored() {
                return restored.isDone();
            }

            @Override
            public int owner(long key) {
                return link.view().state().owner(key);
            }
        });
        connections.setPresence((member, since) -> isPresent(link.view().state(), member, since));
        connections.setSilenceLimit(link.limits().heartbeat());
        link.view().whenPermitted(connections::setPermits);
        joined.complete(new Identity(Role.SERVER, link.rank(), link.tickets(), checks, link.view()));
    }

    private static boolean isPresent(ClusterState now, Member member, long since) {
        if (member.role() == Role.CLIENT) {
            return true;
        }
        ClusterChange.Node found = now.node(member.role(), member.rank());
        return found != null && (since == 0 || found.since() == since);
    }

    /** Serves workers and clients, too: the server has its slices. */
    void restored() {
        restored.complete(null);
    }
}
