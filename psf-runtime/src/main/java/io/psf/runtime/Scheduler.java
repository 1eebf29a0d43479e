package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.cluster.ClusterEvents;
import io.psf.runtime.cluster.ClusterFunctions;
import io.psf.runtime.cluster.ClusterPlan;
import io.psf.runtime.cluster.Tickets;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.HostNode;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.shard.Placements;
import io.psf.runtime.store.chronicle.NativeStore;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one node that forms the cluster: waits for all servers and workers, assigns ranks, places slices, runs barriers,
 * detects lost nodes, and ends the job when no worker is left. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    private final Transport transport;
    private final boolean ownsTransport;
    private final Transport.Listener listener;
    private final Dispatcher dispatcher;
    private final Timer timer;
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Scheduler(
            SchedulerConfig config, Transport transport, boolean ownsTransport, FramePool pool, Handlers handlers) {
        this.transport = transport;
        this.ownsTransport = ownsTransport;
        this.timer = new Timer("psf-scheduler");
        CompletableFuture<ClusterFunctions.Home> home = new CompletableFuture<>();
        SchedulerConfig.Timeouts timeouts = config.timeouts();
        ClusterPlan plan = new ClusterPlan(
                config.servers(), config.workers(), timeouts.join(), timeouts.heartbeat(), config.secret());
        HostNode node =
                HostNode.start("psf-scheduler", Role.SCHEDULER, 0, Placements.host(new NativeStore()), null, pool);
        ClusterFunctions functions = new ClusterFunctions(plan, node, home, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                home.join().dispatcher().setMembers(members);
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
        this.dispatcher = new Dispatcher(
                node,
                pool,
                functions.bind(handlers),
                ClusterFunctions.OPEN_TO_STRANGERS,
                Defaults.CONNECTION_BOUND,
                connection -> home.join().dispatcher().onNode(() -> functions.closed(connection)));
        home.complete(new ClusterFunctions.Home(Role.SCHEDULER, 0, Tickets.fresh(), dispatcher, false));
        this.listener = transport.listen(config.host(), config.port(), dispatcher);
        Duration tick = min(Defaults.TICK, timeouts.heartbeat().dividedBy(8));
        timer.every(tick, () -> {
            dispatcher.onNode(functions::tick);
            dispatcher.expire();
        });
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
        Handlers handlers = handlers();
        FramePool pool = Defaults.pool();
        return new Scheduler(config, Defaults.schedulerTransport(pool), true, pool, handlers);
    }

    static Scheduler start(SchedulerConfig config, Transport transport, FramePool pool) {
        return new Scheduler(config, transport, false, pool, handlers());
    }

    private static Handlers handlers() {
        return Handlers.found(Thread.currentThread().getContextClassLoader());
    }

    /** Returns the port that the scheduler listens on. */
    public int port() {
        return listener.port();
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
        if (closed.compareAndSet(false, true)) {
            terminated.complete(null);
            timer.close();
            listener.close();
            if (ownsTransport) {
                transport.close();
            }
            dispatcher.close();
        }
    }
}
