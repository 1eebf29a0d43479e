package io.psf.benchmarks.scale;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.Function;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.cluster.ClusterEvents;
import io.psf.runtime.internal.cluster.ClusterFunctions;
import io.psf.runtime.internal.cluster.ClusterPlan;
import io.psf.runtime.internal.cluster.Identity;
import io.psf.runtime.internal.cluster.Journal;
import io.psf.runtime.internal.cluster.Trust;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.LaneRunner;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A real scheduler without a network: dispatcher, sessions, membership, states and barriers run on the calling thread,
 * over channels that count encoded frames, by a clock that the caller sets. Used by one thread.
 */
final class ControlPlane implements AutoCloseable {
    static final Duration HEARTBEAT = Duration.ofSeconds(10);

    /** The interval at which the scheduler checks its nodes. */
    static final Duration TICK = Duration.ofMillis(50);

    private static final Duration JOIN = Duration.ofMinutes(10);
    private static final Duration SERVER_RETURN = Duration.ofMinutes(5);
    private static final long CONNECTION_BOUND = 64L << 20;
    private static final long KEPT_FRAMES = 256L << 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final FramePool pool = new FramePool(KEPT_FRAMES);
    private final ArrayDeque<Runnable> work = new ArrayDeque<>();
    private final Connections connections;
    private final ClusterFunctions functions;
    private final Dispatcher dispatcher;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private long now;
    private Cost cost = Cost.NONE;

    /** Returns the processor time of this thread so far: other processes of the machine take none of it. */
    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Creates the scheduler of a cluster that has not formed. */
    ControlPlane(int servers, int workers) {
        Lane lane = new Lane("scale", pool, new LaneRunner() {
            @Override
            public void execute(Runnable command) {
                work.add(command);
            }

            @Override
            public void completeAfter(CompletableFuture<Void> due, Duration delay) {
                throw new AssertionError("the functions of a scheduler set no alarms");
            }
        });
        HostNode host = new HostNode(
                "scale", Role.SCHEDULER, Placements.host(Stores.inMemory(MemoryLimit.NONE)), lane, List.of(), null);
        connections = new Connections(host, pool, CONNECTION_BOUND);
        ClusterPlan plan = new ClusterPlan(
                servers,
                workers,
                true,
                false,
                new ClusterPlan.Limits(JOIN, HEARTBEAT, SERVER_RETURN, Duration.ZERO, Duration.ZERO, () -> now),
                Trust.of(null, null));
        Journal journal = Journal.in(null, servers);
        Identity own = new Identity(Role.SCHEDULER, 0, journal.tickets(), false, null);
        functions = new ClusterFunctions(plan, host, connections, own, journal, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                host.setMembers(members);
            }

            @Override
            public void ended(@Nullable PsException failure) {}
        });
        Handlers handlers = functions.bind(Handlers.found(new ClassLoader(null) {}));
        dispatcher = new Dispatcher(host, connections, pool, handlers, ClusterFunctions.OPEN_TO_STRANGERS);
    }

    /** Returns a node with a connection to the scheduler. */
    SimulatedNode connect(Role role) {
        SimulatedNode node = new SimulatedNode(this, role, nodes.size());
        node.begin(dispatcher.accept(node));
        nodes.add(node);
        return node;
    }

    /** Ends the channel of a node, which is heard no longer. */
    void silence(SimulatedNode node) {
        nodes.remove(node);
        node.close();
    }

    /** Returns the nodes that are connected. */
    List<SimulatedNode> nodes() {
        return nodes;
    }

    /** Lets the scheduler receive and run a call, which is answered now or later. */
    <Q> void call(SimulatedNode from, Function<Q, ?> function, Q request) {
        TupleWriter tuple = new TupleWriter();
        function.write(request, Routing.overNodes(1), 0, tuple);
        long number = from.nextCall();
        receive(from, Frames.request(pool, RequestHeader.toNode(function.info(), 0, number, 600_000), tuple));
    }

    /** Lets the scheduler learn that a node has the answers of all its calls. */
    void done(SimulatedNode from) {
        receive(from, Frames.done(pool, from.nextCall(), new long[0]));
    }

    private void receive(SimulatedNode from, Frame frame) {
        int length = frame.length();
        long begin = cpuNanos();
        from.receiver().received(from, frame);
        run();
        cost = cost.plus(new Cost(1, length, 0, 0, cpuNanos() - begin));
    }

    /** True for the node that was connected first. */
    boolean isFirst(SimulatedNode node) {
        return nodes.get(0) == node;
    }

    /**
     * Records an answer of the scheduler.
     *
     * @param nanos the time that the node took for it, which is not the scheduler's
     */
    void sent(int bytes, long nanos) {
        cost = cost.plus(new Cost(0, 0, 1, bytes, -nanos));
    }

    /** Sets the clock forward, and lets the scheduler check its nodes. */
    void tick() {
        now += TICK.toNanos();
        long begin = cpuNanos();
        functions.tick();
        connections.expire();
        run();
        cost = cost.plus(new Cost(0, 0, 0, 0, cpuNanos() - begin));
    }

    private void run() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    /** Sends a heartbeat of each node whose last one is answered, until all wait. Each follows the latest state. */
    void beat() {
        for (boolean isDue = true; isDue; ) {
            isDue = false;
            for (SimulatedNode node : nodes) {
                if (node.isBeatDue()) {
                    isDue = true;
                    node.beat();
                }
            }
        }
    }

    /** Returns the cost since the last call of this method. */
    Cost takeCost() {
        Cost taken = cost;
        cost = Cost.NONE;
        return taken;
    }

    @Override
    public void close() {
        dispatcher.close();
        run();
    }
}
