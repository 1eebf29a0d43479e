package io.psf.runtime;

import io.psf.api.CallListener;
import io.psf.api.DeclaredTensor;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Member;
import io.psf.api.NodeHealth;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.spi.Binding;
import io.psf.api.spi.ServiceClassPath;
import io.psf.api.spi.ShardRestorer;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.lane.LaneWatch;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds shards and runs the handlers that are on its class path. A started server serves until the job ends.
 * Thread-safe.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final Duration DROP_LIMIT = Duration.ofMinutes(1);

    private final NodeResources node;
    private final HostNode host;
    private final Transport.Listener listener;
    private final ClusterLink link;
    private final LaneWatch lanes;
    private final Drain drain;
    private final Lease lease;
    private volatile boolean isEnding;

    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Server(
            ServerConfig config,
            NodeResources resources,
            Handlers handlers,
            List<HandlerInterceptor> interceptors,
            Consumer<NodeHealth> starting) {
        this.node = resources;
        ServingSide serving = new ServingSide(config, resources, handlers, interceptors);
        this.host = serving.host();
        Connections connections = serving.connections();
        Listeners.found(RequestListener.class).forEach(this::listen);
        this.lanes = new LaneWatch(host.lanes());
        resources.every(Defaults.WATCH, lanes::sample);
        this.drain = new Drain(host, connections, closed::get);
        this.listener = resources.listen(config.host(), config.port(), serving.dispatcher());
        Member told = told(config, listener.port());
        LOG.info(
                "server listening on {}{}, {} functions",
                Member.address(config.host(), listener.port()),
                config.advertised() == null ? "" : " (" + told.address() + " for the other nodes)",
                handlers.functions().size());
        this.link = resources.join(
                config.join(),
                Join.Request.of(Role.SERVER, config.join().rank(), told.host(), told.port()),
                stage -> starting.accept(Health.ofJoin(stage)));
        // Closed after the connections of the callers: these do not receive the failures of the calls that end with it.
        ServerCalls calls = resources.receiver(
                new ServerCalls(resources.client(), link, resources.transport(), serving.dispatcher()));
        host.setOutgoing(calls);
        serving.joined(link, config.transport().checksum());
        resources.started(link.info(), host);
        LOG.info("server has rank {}", link.rank());
        beat(calls);
        if (link.isLate()) {
            starting.accept(Health.of("server " + link.rank(), null, "loads the slices of a lost server", ""));
            restore(calls);
        }
        serving.restored();
        resources.every(Defaults.WATCH, () -> serving.placements().lost().ifPresent(this::endWithout));
        this.lease = new Lease(link, connections);
        resources.every(Defaults.TICK, lease::check);
    }

    private void beat(ServerCalls calls) {
        link.beat(new ClusterLink.Events() {
            @Override
            public void changed(ClusterState before, ClusterState now) {
                List<Member> kept = now.kept(before);
                if (kept.size() < before.counted().size()) { // a rank that has another node now was free in between
                    host.setMembers(kept);
                }
                host.setMembers(now.counted());
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

    /** Ends the server, whose shards have lost their memory: the cluster counts it as lost. */
    private void endWithout(String reason) {
        if (!closed.get()) {
            LOG.error("server {} ends: {}", link.rank(), reason);
            end(new PsException(PsException.Code.INTERNAL, reason));
        }
    }

    /** Makes and loads the shards of the lost server whose place this one takes. */
    private void restore(ServerCalls calls) {
        ClusterState now = link.view().state();
        List<DeclaredTensor> tensors = now.declared().stream()
                .filter(each -> each.layout().servers().contains(rank()))
                .toList();
        List<String> models =
                now.recovery().models().stream().map(ClusterChange.Model::name).toList();
        LOG.info("server {} takes the place of a lost one, and loads its slices of {} tensors", rank(), tensors.size());
        long began = System.nanoTime();
        for (ShardRestorer restorer : Listeners.found(ShardRestorer.class)) {
            for (TensorId each : restorer.restore(calls.here(), calls.onAll(), tensors, now.epoch(), models)) {
                link.dropped(each, DROP_LIMIT);
                LOG.warn("tensor \"{}\" is dropped: no checkpoint has its slices of the lost server", each);
            }
        }
        LOG.info("server {} has its slices after {} ms", rank(), (System.nanoTime() - began) / 1_000_000);
    }

    /**
     * Starts a server. Blocks until the cluster is complete.
     *
     * @throws PsException with {@code TIMED_OUT} or {@code UNAVAILABLE} if the cluster does not form in time; with
     *     {@code CONFIGURATION} if a handler on the class path cannot be created, or a function has no available
     *     handler, or has two available handlers of the same preference
     */
    public static Server start(ServerConfig config) {
        return start(config, now -> {});
    }

    /**
     * Starts a server, as {@link #start(ServerConfig)} does, and says how it is meanwhile: it is live, and ready as
     * soon as it waits for the other nodes of a cluster that forms. In the place of a lost server it is ready when it
     * has the slices of that.
     *
     * @param starting receives the health of the server until it has started, each time that it changes, on the calling
     *     thread
     */
    public static Server start(ServerConfig config, Consumer<NodeHealth> starting) {
        Checks.listening("server", config.host(), config.join().security());
        return start(
                config,
                Network.open(
                        config.transport(),
                        Defaults.pool(config.storage().memory()),
                        config.join().security()),
                List.of(),
                List.of(),
                starting);
    }

    static Server start(
            ServerConfig config,
            Network network,
            List<Binding<?, ?>> more,
            List<HandlerInterceptor> interceptors,
            Consumer<NodeHealth> starting) {
        NodeResources node = new NodeResources("psf-server", network);
        return node.start(() -> new Server(config, node, handlers(more), interceptors, starting));
    }

    /** Returns the server with the address that the other nodes connect to. */
    private static Member told(ServerConfig config, int port) {
        ServerConfig.Address told = config.advertised();
        return told == null
                ? new Member(Role.SERVER, 0, config.host(), port)
                : new Member(Role.SERVER, 0, told.host(), told.port() == 0 ? port : told.port());
    }

    /** Finds the handlers. Called before anything is started, since no retry can repair a wrong handler. */
    private static Handlers handlers(List<Binding<?, ?>> more) {
        Handlers handlers = Handlers.found(ServiceClassPath.of(Server.class));
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

    /**
     * Returns whether this server works: it is live while its scheduler answers within the heartbeat's limit and each
     * lane with waiting work begins some. It is ready until it is about to end, unless its scheduler has been silent
     * for so long that the server has stopped serving.
     *
     * @param limit how long a lane with waiting work may begin none
     */
    public NodeHealth health(Duration limit) {
        String stalled = Health.stalled(lanes, link, limit);
        boolean ending = isEnding || closed.get();
        String why = ending ? "is about to end" : lease.over();
        return Health.of("server " + link.rank(), ending ? null : stalled, why, "serves its slices");
    }

    /**
     * Leaves the cluster in order. New sessions are refused. The server answers the calls that it has
     * received, also calls that wait for others, as long as the limit allows. Calls that it has not read run
     * nowhere. Then it leaves and closes. The data that it holds is lost. Blocks until the server has ended.
     *
     * @param limit the time for the calls
     */
    public void drain(Duration limit) {
        isEnding = true;
        LOG.info("server {} ends: it finishes its calls, for up to {} ms", link.rank(), limit.toMillis());
        drain.run(limit);
        close();
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
     * @throws PsException if the scheduler was lost, or the memory of a device with shards
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
