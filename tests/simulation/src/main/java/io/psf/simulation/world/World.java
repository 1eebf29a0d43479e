package io.psf.simulation.world;

import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.SimulatedNodes;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import io.psf.simulation.machine.Machine;
import io.psf.simulation.machine.NodeThreads;
import io.psf.simulation.net.SimulatedNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** A simulated cluster: its nodes, its network and its folder. */
public final class World {
    private static final int SCHEDULER_PORT = 4000;
    /** Well below the deadline of calls: until then a node that does not connect again counts as present. */
    private static final Duration SCHEDULER_RETURN = Duration.ofSeconds(15);

    private static final String HOST = "127.0.0.1";

    private final Machine machine;
    private final Shape shape;
    private final List<PlannedFault> faults;
    private final Path folder;
    private final JournalFolder journal;
    private final int calls;
    private final SimulatedNetwork network;
    private final List<SimulatedNode<Server>> servers = new ArrayList<>();
    private final List<SimulatedNode<Worker>> workers = new ArrayList<>();
    private final List<SimulatedNode<Client>> clients = new ArrayList<>();
    private final Tasks faulting = new Tasks();
    private final SplittableRandom thinking;
    private final long mostThinkingNanos;
    private SimulatedNode<Scheduler> scheduler;
    private boolean hasFaults;

    /**
     * Creates a cluster, whose nodes are not started.
     *
     * @param folder an empty folder for the journal and the checkpoints
     * @param calls the calls of each worker
     */
    public World(Machine machine, Shape shape, List<PlannedFault> faults, Path folder, int calls) {
        this.machine = machine;
        this.shape = shape;
        this.faults = faults;
        this.folder = folder;
        this.journal = new JournalFolder(folder);
        this.calls = calls;
        this.thinking = machine.random("thinking");
        this.mostThinkingNanos = (long) Math.pow(10, thinking.nextInt(9));
        this.network = new SimulatedNetwork(machine, shape.mostDelay().toNanos());
        this.scheduler = new SimulatedNode<>(machine.node("scheduler"));
    }

    /** Starts all nodes. Blocks until the cluster is complete. */
    public void form() {
        scheduler.start(this::startScheduler);
        scheduler.get();
        for (int rank = 0; rank < shape.servers(); rank++) {
            servers.add(launchServer(rank));
        }
        for (int rank = 0; rank < shape.workers(); rank++) {
            workers.add(launchWorker(rank));
        }
        servers.forEach(SimulatedNode::get);
        workers.forEach(SimulatedNode::get);
        say("the cluster is complete: " + shape);
    }

    private Scheduler startScheduler(FramePool pool) {
        SchedulerConfig plain = SchedulerConfig.of(shape.servers(), shape.workers())
                .listen(HOST, SCHEDULER_PORT)
                .withHeartbeatLimit(shape.heartbeat());
        Duration limit = Duration.ofMinutes(1);
        SchedulerConfig config = switch (shape.recovery()) {
            case NONE -> plain;
            case JOURNAL -> plain.withJournal(journal.folder()).withSchedulerReturn(SCHEDULER_RETURN);
            case CHECKPOINTS ->
                plain.withJournal(journal.folder())
                        .withSchedulerReturn(SCHEDULER_RETURN)
                        .withServerReturn(limit)
                        .withWorkerReturn(limit);
        };
        return SimulatedNodes.scheduler(config, transport(scheduler.threads(), pool), pool);
    }

    private Transport transport(NodeThreads threads, FramePool pool) {
        return network.transport(threads, pool);
    }

    private SimulatedNode<Server> launchServer(int rank) {
        SimulatedNode<Server> node = new SimulatedNode<>(machine.node("server " + rank));
        node.start(pool -> {
            ServerConfig plain = ServerConfig.of(HOST, SCHEDULER_PORT)
                    .withRank(rank)
                    .withLanes(shape.lanes())
                    .withTensorMemory(64 << 20);
            ServerConfig config = shape.recovery() == Shape.Recovery.CHECKPOINTS
                    ? plain.withCheckpoints(folder.resolve("checkpoints"))
                    : plain;
            return SimulatedNodes.server(config, transport(node.threads(), pool), pool);
        });
        return node;
    }

    private SimulatedNode<Worker> launchWorker(int rank) {
        SimulatedNode<Worker> node = new SimulatedNode<>(machine.node("worker " + rank));
        WorkerConfig config =
                WorkerConfig.of(HOST, SCHEDULER_PORT).withRank(rank).withDeadline(shape.deadline());
        node.start(pool -> SimulatedNodes.worker(config, transport(node.threads(), pool), pool));
        return node;
    }

    /** Connects one more client, on a node of its own. */
    public SimulatedNode<Client> client() {
        SimulatedNode<Client> node = new SimulatedNode<>(machine.node("client " + clients.size()));
        clients.add(node);
        WorkerConfig config = WorkerConfig.of(HOST, SCHEDULER_PORT).withDeadline(shape.deadline());
        node.start(pool -> SimulatedNodes.client(config, transport(node.threads(), pool), pool));
        return node;
    }

    // For workloads.

    public Shape shape() {
        return shape;
    }

    /** Returns the calls that each worker makes. */
    public int calls() {
        return calls;
    }

    public List<SimulatedNode<Worker>> workers() {
        return List.copyOf(workers);
    }

    public List<SimulatedNode<Server>> servers() {
        return List.copyOf(servers);
    }

    /** Returns a stream of random numbers of its own. */
    public SplittableRandom random(String name) {
        return machine.random(name);
    }

    public Machine machine() {
        return machine;
    }

    /** True if the faults of this run may lose a node. */
    public boolean mayLose() {
        return areSilentLong() || faults.stream().anyMatch(each -> each.fault().mayLose());
    }

    /** True if calls of workers that are not killed may fail in this run. */
    public boolean mayFail() {
        return areSilentLong() || faults.stream().anyMatch(each -> each.fault().mayFail());
    }

    private boolean areSilentLong() {
        return silenceMillis() > shape.heartbeat().toMillis() / 4; // clocks may run at twice the speed
    }

    /** Returns for how long nodes may be silent in this run. */
    public long silenceMillis() {
        return faults.stream().mapToLong(each -> each.fault().silenceMillis()).sum();
    }

    /** Blocks for as long as a worker takes between two calls: in some runs hardly, in others up to 100 ms. */
    public void think() throws InterruptedException {
        long nanos = thinking.nextLong(mostThinkingNanos);
        Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    }

    /** Adds a sentence of the test to the trace. */
    public void say(String sentence) {
        machine.trace().say("test", sentence);
    }

    // For faults.

    public SimulatedNetwork network() {
        return network;
    }

    /** Lets the faults happen, each at its time from now; once. */
    public void beginFaults() {
        if (hasFaults) {
            return;
        }
        hasFaults = true;
        for (PlannedFault each : faults) {
            faulting.on(machine.own(), () -> {
                Thread.sleep(each.atMillis());
                say("fault " + each.number() + ": " + each.fault());
                each.fault().happen(this);
            });
        }
    }

    /** Returns all nodes. */
    public List<SimulatedNode<?>> nodes() {
        return Stream.of(Stream.of(scheduler), servers.stream(), workers.stream(), clients.stream())
                .<SimulatedNode<?>>flatMap(each -> each)
                .toList();
    }

    /** Returns the node of a name. */
    public SimulatedNode<?> node(String name) {
        return nodes().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("node: " + name + " (expected: one of the cluster)"));
    }

    /**
     * Kills a node, as SIGKILL does.
     *
     * @param isSilent true if its peers learn nothing, as if its machine had lost its power
     */
    public void kill(String name, boolean isSilent) {
        NodeThreads threads = node(name).threads();
        if (threads.kill() && name.startsWith("server")) {
            LocksOfModels.forget(folder); // the one server that has them
        }
        network.kill(threads, isSilent);
    }

    /** Starts a node again in the place of a killed node. */
    public void restart(String name) {
        SimulatedNode<?> before = node(name);
        if (!before.threads().isKilled()) {
            return;
        }
        network.kill(before.threads(), false); // its machine resets old connections
        if (name.equals("scheduler")) {
            journal.leave();
            scheduler = new SimulatedNode<>(machine.node("scheduler"));
            scheduler.start(this::startScheduler);
        } else if (name.startsWith("server ")) {
            int rank = servers.indexOf(before);
            servers.set(rank, launchServer(rank));
        } else {
            int rank = workers.indexOf(before);
            workers.set(rank, launchWorker(rank));
        }
    }

    /** Closes all nodes, and checks that nothing is left of them. */
    public void close() throws InterruptedException {
        faulting.await();
        Leftovers.check(this);
    }
}
