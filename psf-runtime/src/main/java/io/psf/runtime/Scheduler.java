package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.NodeHealth;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.ServiceClassPath;
import io.psf.runtime.internal.cluster.ClusterEvents;
import io.psf.runtime.internal.cluster.ClusterFunctions;
import io.psf.runtime.internal.cluster.ClusterPlan;
import io.psf.runtime.internal.cluster.Identity;
import io.psf.runtime.internal.cluster.Journal;
import io.psf.runtime.internal.cluster.Tickets;
import io.psf.runtime.internal.cluster.Trust;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.lane.LaneWatch;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one node that forms the cluster: waits for all servers and workers, assigns ranks, places slices, runs barriers,
 * detects lost nodes, and ends the job when no worker is left. One with a journal goes on with the cluster of the
 * scheduler that wrote it. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    /** Receives what arrives over a connection that is closed as soon as it is made. */
    private static final Receiver UNREAD = new Receiver() {
        @Override
        public void received(Channel channel, Frame frame) {
            frame.release();
        }

        @Override
        public void closed(Channel channel, PsException cause) {}
    };

    private final NodeResources node;
    private final Transport.Listener listener;
    private final HostNode host;
    private final ClusterFunctions functions;
    private final LaneWatch lanes;
    private volatile boolean isEnding;
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();

    private Scheduler(SchedulerConfig config, NodeResources resources, Handlers handlers) {
        this.node = resources;
        Journal journal = resources.receiver(Journal.in(config.life().journal(), config.servers()));
        FramePool pool = resources.pool();
        SchedulerConfig.Timeouts timeouts = config.timeouts();
        ClusterPlan plan = new ClusterPlan(
                config.servers(),
                config.workers(),
                config.size().more(),
                config.life().service(),
                new ClusterPlan.Limits(
                        timeouts.join(),
                        timeouts.heartbeat(),
                        config.life().serverReturn(),
                        config.life().workerReturn(),
                        config.life().schedulerReturn(),
                        System::nanoTime),
                Trust.of(
                        config.security().cluster(),
                        config.security().secret(),
                        config.security().permissions()));
        this.host = HostNode.start(
                "psf-scheduler", Role.SCHEDULER, 0, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        Connections connections = new Connections(host, pool, Defaults.CONNECTION_BOUND);
        connections.keepSessions(timeouts.heartbeat()); // a node is lost by its silence, not by the end of its session
        Tickets tickets = journal.tickets();
        Identity own = new Identity(Role.SCHEDULER, 0, tickets, false, null);
        this.functions = new ClusterFunctions(plan, host, connections, own, journal, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                host.setMembers(members);
            }

            @Override
            public CompletableFuture<Boolean> refuses(Member server) {
                return Scheduler.refuses(server, resources.transport());
            }

            @Override
            public void ended(@Nullable PsException failure) {
                journal.delete();
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
        functions.restore();
        this.listener = resources.listen(config.host(), config.port(), dispatcher);
        this.lanes = new LaneWatch(host.lanes());
        resources.every(Defaults.WATCH, lanes::sample);
        Duration tick = min(Defaults.TICK, timeouts.heartbeat().dividedBy(8));
        resources.every(tick, () -> {
            host.execute(functions::tick);
            connections.expire();
        });
        host.measureWith(journal);
        resources.started(tickets.of(Role.SCHEDULER, 0, 0).info(), host);
        LOG.info("scheduler listening on {}", Member.address(config.host(), listener.port()));
    }

    /** Finds out, on a thread of its own, whether nothing listens any more where a server did. */
    private static CompletableFuture<Boolean> refuses(Member server, Transport transport) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        transport
                                .connect(server.host(), server.port(), taken -> UNREAD)
                                .close();
                        return false;
                    } catch (PsException e) {
                        return e.getCause() instanceof ConnectException;
                    }
                },
                Defaults.REQUESTS);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /**
     * Starts a scheduler. When this method returns, the scheduler accepts connections.
     *
     * @throws PsException with {@code UNAVAILABLE} if listening on the address fails; with {@code CONFIGURATION} if a
     *     handler on the class path cannot be created, or a function has two handlers; if the journal is damaged, in
     *     use by another scheduler, or cannot be written; if it would listen beyond loopback without a secret and TLS
     */
    public static Scheduler start(SchedulerConfig config) {
        Checks.listening("scheduler", config.host(), config.security());
        FramePool pool = Defaults.pool();
        return start(config, new Network(pool, Defaults.schedulerTransport(pool, config.security()), true));
    }

    static Scheduler start(SchedulerConfig config, Network network) {
        NodeResources node = new NodeResources("psf-scheduler", network);
        return node.start(() -> new Scheduler(config, node, Handlers.found(ServiceClassPath.of(Scheduler.class))));
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

    /**
     * Returns whether this scheduler works: it is live while its lane makes progress, and ready, also before the
     * cluster is complete, until the cluster ends.
     *
     * @param limit how long the lane may begin no work while some waits
     */
    public NodeHealth health(Duration limit) {
        return Health.of(
                "scheduler",
                lanes.stalled(limit),
                isEnding || terminated.isDone() ? "is about to end" : null,
                "listens for the nodes of its cluster");
    }

    /**
     * Ends the cluster: servers end, and the calls of workers and clients fail with {@code CLOSED}. The nodes of a
     * cluster that is not complete fail to join. Returns at once; {@link #awaitTermination} waits for the end.
     */
    public void end() {
        isEnding = true;
        host.execute(functions::end);
    }

    /**
     * Ends this scheduler, and leaves its cluster to another one that is started with the same journal. Without a
     * journal, or if the journal cannot be written, ends the cluster as {@link #end} does. Returns at once;
     * {@link #awaitTermination} waits for the end.
     */
    public void handOver() {
        isEnding = true;
        host.execute(() -> {
            if (functions.mayHandOver()) {
                LOG.info("scheduler ends, and leaves its cluster to the scheduler that goes on from the journal");
                terminated.complete(null);
            } else {
                functions.end();
            }
        });
    }

    /** Ends the scheduler, whatever the state of the other nodes. */
    @Override
    public void close() {
        terminated.complete(null);
        node.close();
    }
}
