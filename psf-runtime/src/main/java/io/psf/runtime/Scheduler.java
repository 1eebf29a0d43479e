package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.runtime.cluster.ClusterEvents;
import io.psf.runtime.cluster.ClusterFunctions;
import io.psf.runtime.cluster.ClusterPlan;
import io.psf.runtime.cluster.Identity;
import io.psf.runtime.cluster.Tickets;
import io.psf.runtime.server.Connections;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.node.HostNode;
import io.psf.runtime.server.shard.Placements;
import io.psf.runtime.store.chronicle.NativeStore;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one node that forms the cluster: waits for all servers and workers, assigns ranks, places slices, runs barriers,
 * detects lost nodes, and ends the job when no worker is left. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    private final NodeResources node;
    private final Transport.Listener listener;
    private final HostNode host;
    private final ClusterFunctions functions;
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();

    private Scheduler(SchedulerConfig config, NodeResources resources, Handlers handlers) {
        this.node = resources;
        FramePool pool = resources.pool();
        SchedulerConfig.Timeouts timeouts = config.timeouts();
        ClusterPlan plan = new ClusterPlan(
                config.servers(),
                config.workers(),
                timeouts.join(),
                timeouts.heartbeat(),
                config.security().secret());
        this.host = HostNode.start("psf-scheduler", Role.SCHEDULER, 0, Placements.host(new NativeStore()), null, pool);
        Connections connections = new Connections(host, pool, Defaults.CONNECTION_BOUND);
        Tickets tickets = Tickets.fresh();
        Identity own = new Identity(Role.SCHEDULER, 0, tickets, false);
        this.functions = new ClusterFunctions(plan, host, connections, own, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                host.setMembers(members);
            }

            @Override
            public void ended(@Nullable PsException failure) {
                if (failure == null) {
                    terminated.complete(null);
                } else {
                    terminated.completeExceptionally(failure);
                }
            }
        });
        Dispatcher dispatcher = resources.receiver(
                new Dispatcher(host, connections, pool, functions.bind(handlers), ClusterFunctions.OPEN_TO_STRANGERS));
        Listeners.found(RequestListener.class).forEach(this::listen);
        this.listener = resources.listen(config.host(), config.port(), dispatcher);
        Duration tick = min(Defaults.TICK, timeouts.heartbeat().dividedBy(8));
        resources.every(tick, () -> {
            host.execute(functions::tick);
            connections.expire();
        });
        resources.started(tickets.of(Role.SCHEDULER, 0).info(), connections.gauges());
        LOG.info("scheduler listening on {}:{}", config.host(), listener.port());
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /**
     * Starts a scheduler. When this method returns, the scheduler accepts connections.
     *
     * @throws PsException with {@code UNAVAILABLE} if listening on the address fails; with {@code CONFIGURATION} if a
     *     handler on the class path cannot be created, or a function has two handlers
     */
    public static Scheduler start(SchedulerConfig config) {
        FramePool pool = Defaults.pool();
        return start(config, new Network(pool, Defaults.schedulerTransport(pool), true));
    }

    static Scheduler start(SchedulerConfig config, Network network) {
        NodeResources node = new NodeResources("psf-scheduler", network);
        return node.start(() -> new Scheduler(
                config, node, Handlers.found(Thread.currentThread().getContextClassLoader())));
    }

    /** Adds a listener to the requests that this scheduler handles from now on. */
    public void listen(RequestListener listener) {
        host.listen(listener);
        node.add(listener);
    }

    /** Returns the port that the scheduler listens on. */
    public int port() {
        return listener.port();
    }

    /**
     * Places the slices of a tensor at other servers, for tests.
     *
     * @param servers [slices], the rank of each slice's server
     * @param carry makes the slices there, before any node learns of the new layout, which it receives; runs on the
     *     scheduler's lane
     */
    CompletableFuture<Void> move(TensorId tensor, List<Integer> servers, Consumer<TensorLayout> carry) {
        CompletableFuture<Void> moved = new CompletableFuture<>();
        host.execute(() -> {
            try {
                functions.move(tensor, servers, carry);
                moved.complete(null);
            } catch (Throwable e) { // of the code that carries them
                moved.completeExceptionally(e);
            }
        });
        return moved;
    }

    /**
     * Blocks until the job has ended and every node has left.
     *
     * @throws PsException if the cluster did not form, or a node was lost
     */
    public void awaitTermination() {
        Termination.await(terminated);
    }

    /** Ends the scheduler, whatever the state of the other nodes. */
    @Override
    public void close() {
        terminated.complete(null);
        node.close();
    }
}
