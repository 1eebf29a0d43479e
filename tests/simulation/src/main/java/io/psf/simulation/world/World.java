package io.psf.simulation.world;

import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Worker;
import io.psf.simulation.disk.Disk;
import io.psf.simulation.machine.Machine;
import io.psf.simulation.machine.NodeThreads;
import io.psf.simulation.net.SimulatedNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A simulated cluster: its nodes, its network and its disks. */
public final class World {
    /**
     * How long a node takes at most that is told to end: the default of {@code PSF_DRAIN}, and what is left for its
     * calls.
     */
    private static final Duration END = Duration.ofSeconds(30);

    private static final Duration DRAIN = Duration.ofSeconds(25);

    private final Machine machine;
    private final List<PlannedFault> faults;
    private final Disk journals;
    private final Disk checkpoints;
    private final int calls;
    private final SimulatedNetwork network;
    private final Launcher launcher;
    private final List<SimulatedNode<Server>> servers = new ArrayList<>();
    private final List<SimulatedNode<Worker>> workers = new ArrayList<>();
    private final List<SimulatedNode<Client>> clients = new ArrayList<>();
    private final Tasks faulting = new Tasks();
    private final Supervisor supervisor = new Supervisor(this);
    private final SplittableRandom thinking;
    private final long mostThinkingNanos;
    private Shape shape;
    private @Nullable SimulatedNode<Scheduler> scheduler;
    private boolean hasFaults;
    /** The number of jobs that have ended: each has a journal of its own. */
    private int jobs;

    /**
     * Creates a cluster, whose nodes are not started.
     *
     * @param calls the calls of each worker
     */
    public World(Machine machine, Shape shape, List<PlannedFault> faults, int calls) {
        this.machine = machine;
        this.shape = shape;
        this.faults = faults;
        this.journals = new Disk(machine, "scheduler");
        this.checkpoints = new Disk(machine, "servers");
        this.calls = calls;
        this.thinking = machine.random("thinking");
        this.mostThinkingNanos = (long) Math.pow(10, thinking.nextInt(9));
        this.network = new SimulatedNetwork(machine, shape.mostDelay().toNanos());
        this.launcher = new Launcher(machine, network, journals, checkpoints);
    }

    /** Starts all nodes. Blocks until the cluster is complete. */
    public void form() {
        scheduler = launcher.scheduler(shape, jobs);
        scheduler.get();
        for (int rank = 0; rank < shape.servers(); rank++) {
            servers.add(launcher.server(shape, rank));
        }
        for (int rank = 0; rank < shape.workers(); rank++) {
            workers.add(launcher.worker(shape, rank));
        }
        servers.forEach(SimulatedNode::get);
        workers.forEach(SimulatedNode::get);
        say("the cluster is complete: " + shape);
    }

    /** Connects one more client, on a node of its own. */
    public SimulatedNode<Client> client() {
        SimulatedNode<Client> node = launcher.client(shape, clients.size());
        clients.add(node);
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
        return areSilentLong()
                || isJournalAtRisk()
                || faults.stream().anyMatch(each -> each.fault().mayLose());
    }

    /** A journal that cannot be written is deleted: the cluster ends if its scheduler ends then. */
    private boolean isJournalAtRisk() {
        return faults.stream().anyMatch(each -> each.fault().breaksJournal())
                && faults.stream().anyMatch(each -> each.fault().needsJournal());
    }

    /** True if calls of workers that are not killed may fail in this run. */
    public boolean mayFail() {
        return areSilentLong()
                || isJournalAtRisk()
                || faults.stream().anyMatch(each -> each.fault().mayFail());
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
        return Stream.of(Stream.ofNullable(scheduler), servers.stream(), workers.stream(), clients.stream())
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
     * Returns the disk of a role: the scheduler's with its journal, or the one with the checkpoints, which all servers
     * share.
     */
    public Disk disk(String role) {
        return role.equals("scheduler") ? journals : checkpoints;
    }

    /**
     * Kills a node, as SIGKILL does.
     *
     * @param isSilent true if its peers learn nothing, as if its machine had lost its power
     */
    public void kill(String name, boolean isSilent) {
        NodeThreads threads = node(name).threads();
        threads.kill();
        // Also what the node was about to lock. The disk has the locks of the others.
        LocksOfProcess.forget(disk(name).files());
        network.kill(threads, isSilent);
    }

    /** Tells a node to end, as SIGTERM does. Blocks until its process has ended. */
    public void terminate(String name) throws InterruptedException {
        SimulatedNode<?> node = node(name);
        AutoCloseable now = node.now();
        Tasks ending = new Tasks();
        if (now != null) {
            ending.on(node.threads(), () -> end(now));
        }
        long until = machine.millis() + END.toMillis();
        while (!ending.isDone() && machine.millis() < until) {
            Thread.sleep(10);
        }
        kill(name, false);
    }

    /** As {@code psf node} ends. */
    private static void end(AutoCloseable node) throws Exception {
        if (node instanceof Server server) {
            server.drain(DRAIN);
        } else if (node instanceof Scheduler scheduler) {
            scheduler.handOver();
            scheduler.awaitTermination();
        }
        node.close();
    }

    /** Returns what starts nodes again. */
    public Supervisor supervisor() {
        return supervisor;
    }

    /** Starts a node in the place of a killed node. */
    void launch(String name) {
        SimulatedNode<?> before = node(name);
        if (!before.threads().isKilled()) {
            return;
        }
        network.kill(before.threads(), false); // its machine resets old connections
        if (name.equals("scheduler")) {
            scheduler = launcher.scheduler(shape, jobs);
        } else if (name.startsWith("server ")) {
            int rank = servers.indexOf(before);
            servers.set(rank, launcher.server(shape, rank));
        } else {
            int rank = workers.indexOf(before);
            workers.set(rank, launcher.worker(shape, rank));
        }
    }

    // For workloads of several jobs.

    /** Ends the faults, and mends what they have broken. No node is started again. */
    private void endFaults() {
        faulting.stop();
        hasFaults = true;
        supervisor.whenStartedAgain(null);
        network.mend(shape.mostDelay().toNanos());
        Stream.of(journals, checkpoints).forEach(Disk::mend);
        nodes().forEach(each -> each.threads().resume());
    }

    /**
     * Ends the job and all faults at once: its processes are killed.
     *
     * @param losesPower true if what they have not forced to their disks is lost
     */
    public void kill(boolean losesPower) {
        endFaults();
        nodes().forEach(each -> kill(each.name(), false)); // also the listeners of nodes that were killed silently
        if (losesPower) {
            journals.lose();
            checkpoints.lose();
        }
    }

    /** Ends the job and all faults in order: workers leave, and the cluster ends. */
    public void endJob() throws InterruptedException {
        endFaults();
        Leftovers.check(this);
        kill(false);
    }

    /** Starts the next job with other numbers of nodes. Blocks until its cluster is complete. */
    public void form(int servers, int workers) {
        jobs++;
        this.servers.clear();
        this.workers.clear();
        shape = shape.with(servers, workers);
        form();
    }

    /** Closes all nodes, and checks that nothing is left of them. */
    public void close() throws InterruptedException {
        faulting.await();
        Leftovers.check(this);
    }

    /** Forgets what this process has of the cluster, however the run has ended. */
    public void forget() {
        LocksOfProcess.forget(journals.files());
        LocksOfProcess.forget(checkpoints.files());
    }
}
