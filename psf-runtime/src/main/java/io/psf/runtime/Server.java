package io.psf.runtime;

import io.psf.api.CallListener;
import io.psf.api.HandlerInterceptor;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.runtime.call.Client;
import io.psf.runtime.cluster.ClusterFunctions;
import io.psf.runtime.cluster.ClusterLink;
import io.psf.runtime.cluster.ClusterState;
import io.psf.runtime.cluster.Identity;
import io.psf.runtime.cluster.Join;
import io.psf.runtime.cluster.ServerFunctions;
import io.psf.runtime.server.Connections;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.node.HostNode;
import io.psf.runtime.server.shard.HostShard;
import io.psf.runtime.server.shard.Placements;
import io.psf.runtime.store.MappedStore;
import io.psf.runtime.store.MemoryLimit;
import io.psf.runtime.store.Store;
import io.psf.runtime.store.chronicle.NativeStore;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds shards and runs the handlers that are on its class path. A started server serves until the job ends.
 * Thread-safe.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final NodeResources node;
    private final HostNode host;
    private final Transport.Listener listener;
    private final ClusterLink link;
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Server(
            ServerConfig config, NodeResources resources, Handlers handlers, List<HandlerInterceptor> interceptors) {
        requireWritable(config.storage().checkpoints());
        this.node = resources;
        FramePool pool = resources.pool();
        Client client = resources.client();
        Store store = resources.receiver(
                config.storage().mapped() == null
                        ? new NativeStore(MemoryLimit.of(config.storage().tensorMemory()))
                        : new MappedStore(config.storage().mapped()));
        Placements placements = placements(store, config.storage().devices());
        handlers.logChoices(kind -> !placements.isHostAlone() || kind.isAssignableFrom(HostShard.class));
        if (placements.hostMemory() != null) {
            pool.allocateLarge(placements.hostMemory());
        }
        CompletableFuture<Identity> joined = new CompletableFuture<>();
        this.host = HostNode.start(
                "psf-server",
                Role.SERVER,
                config.lanes(),
                placements,
                config.storage().checkpoints(),
                pool);
        Connections connections = new Connections(host, pool, Defaults.CONNECTION_BOUND);
        Dispatcher dispatcher = resources.receiver(new Dispatcher(
                host,
                connections,
                pool,
                ServerFunctions.bind(handlers, host, connections, joined),
                ClusterFunctions.OPEN_TO_STRANGERS));
        List<HandlerInterceptor> around = new ArrayList<>(interceptors);
        around.addAll(Listeners.found(HandlerInterceptor.class));
        host.intercept(around);
        Listeners.found(RequestListener.class).forEach(this::listen);
        resources.every(Defaults.TICK, connections::expire);
        this.listener = resources.listen(config.host(), config.port(), dispatcher);
        LOG.info(
                "server listening on {}:{}, {} functions",
                config.host(),
                listener.port(),
                handlers.functions().size());
        this.link = resources.join(
                config.join(), Join.Request.of(Role.SERVER, config.join().rank(), config.host(), listener.port()));
        host.setRank(link.rank());
        host.setMembers(link.first().members());
        host.setDeclarations(link.view());
        connections.setSilenceLimit(link.heartbeatLimit());
        ServerCalls calls = resources.sender(new ServerCalls(client, link, resources.transport(), dispatcher));
        host.setOutgoing(calls);
        joined.complete(new Identity(
                Role.SERVER, link.rank(), link.tickets(), config.transport().checksum()));
        resources.started(link.info(), connections.gauges());
        LOG.info("server has rank {}", link.rank());
        link.beat(new ClusterLink.Events() {
            @Override
            public void changed(ClusterState now) {
                host.setMembers(now.members());
                now.lost().forEach(calls::lost);
            }

            @Override
            public void ended() {
                LOG.info("server {} ends: the job has ended", link.rank());
                end(null);
            }

            @Override
            public void schedulerLost(PsException cause) {
                LOG.error("server {} ends: {}", link.rank(), cause.getMessage());
                end(cause);
            }
        });
    }

    /**
     * Starts a server. Blocks until the cluster is complete.
     *
     * @throws PsException with {@code TIMED_OUT} or {@code UNAVAILABLE} if the cluster does not form in time; with
     *     {@code CONFIGURATION} if a handler on the class path cannot be created, or a function has no available
     *     handler, or has two available handlers of the same preference
     */
    public static Server start(ServerConfig config) {
        return start(
                config,
                Network.open(config.transport(), Defaults.pool(config.storage().memory())),
                List.of(),
                List.of());
    }

    static Server start(
            ServerConfig config, Network network, List<Binding<?, ?>> more, List<HandlerInterceptor> interceptors) {
        NodeResources node = new NodeResources("psf-server", network);
        return node.start(() -> new Server(config, node, handlers(more), interceptors));
    }

    /** Creates the directory for checkpoints: a save after hours of training is too late to learn that it cannot be. */
    private static void requireWritable(@Nullable Path checkpoints) {
        if (checkpoints == null) {
            return;
        }
        String reason = "not writable";
        try {
            Files.createDirectories(checkpoints);
            if (Files.isWritable(checkpoints)) {
                return;
            }
        } catch (IOException e) {
            reason = e.toString();
        }
        throw new PsException(
                PsException.Code.CONFIGURATION,
                "directory for checkpoints: " + checkpoints + ", " + reason
                        + " (expected: one that this server can create and write)");
    }

    private static Placements placements(Store store, List<Integer> devices) {
        Placements placements = Placements.found(Thread.currentThread().getContextClassLoader(), store, devices);
        LOG.info("placements of shards: {}", placements);
        placements.unavailable().forEach(sentence -> LOG.warn("{}", sentence));
        return placements;
    }

    /** Finds the handlers. Called before anything is started, since no retry can repair a wrong handler. */
    private static Handlers handlers(List<Binding<?, ?>> more) {
        Handlers handlers = Handlers.found(Thread.currentThread().getContextClassLoader());
        more.forEach(handlers::with);
        return handlers;
    }

    /** Adds a listener to the requests that this server handles from now on. */
    public void listen(RequestListener listener) {
        host.listen(listener);
        node.add(listener);
    }

    /** Adds a listener to the calls that this server's handlers make from now on. */
    public void listen(CallListener listener) {
        node.listen(listener);
    }

    /** Returns this server's rank among the servers, from 0. */
    public int rank() {
        return link.rank();
    }

    /** Returns the port that workers connect to. */
    public int port() {
        return listener.port();
    }

    /** Closes the server on a new thread, since the heartbeat's thread must not wait for the end. */
    private void end(@Nullable PsException cause) {
        Thread ending = new Thread(() -> close(cause), "psf-server-end");
        ending.setDaemon(true);
        ending.start();
    }

    /**
     * Blocks until the job has ended.
     *
     * @throws PsException if the scheduler was lost
     */
    public void awaitTermination() {
        Termination.await(terminated);
    }

    /** Leaves the cluster and ends. The data that the server holds is lost. */
    @Override
    public void close() {
        close(null);
    }

    private synchronized void close(@Nullable PsException cause) {
        if (closed.compareAndSet(false, true)) {
            try {
                node.close();
            } finally {
                if (cause == null) {
                    terminated.complete(null);
                } else {
                    terminated.completeExceptionally(cause);
                }
            }
        }
    }
}
