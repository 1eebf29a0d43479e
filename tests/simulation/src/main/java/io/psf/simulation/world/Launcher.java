package io.psf.simulation.world;

import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.SimulatedNodes;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.simulation.disk.Disk;
import io.psf.simulation.machine.Machine;
import io.psf.simulation.net.SimulatedNetwork;
import java.time.Duration;

/**
 * Starts nodes, with the settings that the shape of the cluster needs.
 *
 * @param journals the disk of the scheduler
 * @param checkpoints the disk of the servers
 */
record Launcher(Machine machine, SimulatedNetwork network, Disk journals, Disk checkpoints) {
    private static final int SCHEDULER_PORT = 4000;
    /** Well below the deadline of calls: until then a node that does not connect again counts as present. */
    private static final Duration SCHEDULER_RETURN = Duration.ofSeconds(15);

    private static final Duration RETURN = Duration.ofMinutes(1);
    /**
     * How long a node tries to join, which may be started when the job is over. Longer than a server takes to end in
     * order and to be started again: a worker that gives up leaves, and the others go on without it.
     */
    private static final Duration JOIN = Duration.ofSeconds(60);

    private static final String HOST = "127.0.0.1";

    /**
     * Starts a scheduler.
     *
     * @param job the number of the job, which has a journal of its own
     */
    SimulatedNode<Scheduler> scheduler(Shape shape, int job) {
        SimulatedNode<Scheduler> node = new SimulatedNode<>(machine.node("scheduler"));
        SchedulerConfig plain = SchedulerConfig.of(shape.servers(), shape.workers())
                .listen(HOST, SCHEDULER_PORT)
                .withHeartbeatLimit(shape.heartbeat());
        SchedulerConfig kept = shape.recovery() == Shape.Recovery.NONE
                ? plain
                : plain.withJournal(journals.folder("journal-" + job)).withSchedulerReturn(SCHEDULER_RETURN);
        SchedulerConfig config = shape.recovery() == Shape.Recovery.CHECKPOINTS
                ? kept.withServerReturn(RETURN).withWorkerReturn(RETURN)
                : kept;
        node.start(pool -> SimulatedNodes.scheduler(config, network.transport(node.threads(), pool), pool));
        return node;
    }

    SimulatedNode<Server> server(Shape shape, int rank) {
        SimulatedNode<Server> node = new SimulatedNode<>(machine.node("server " + rank));
        ServerConfig plain = ServerConfig.of(HOST, SCHEDULER_PORT)
                .withRank(rank)
                .withJoinTimeout(JOIN)
                .withLanes(shape.lanes())
                .withTensorMemory(64 << 20);
        ServerConfig config = shape.recovery() == Shape.Recovery.CHECKPOINTS
                ? plain.withCheckpoints(checkpoints.folder("checkpoints"))
                : plain;
        node.start(pool -> SimulatedNodes.server(config, network.transport(node.threads(), pool), pool));
        return node;
    }

    SimulatedNode<Worker> worker(Shape shape, int rank) {
        SimulatedNode<Worker> node = new SimulatedNode<>(machine.node("worker " + rank));
        WorkerConfig plain = WorkerConfig.of(HOST, SCHEDULER_PORT)
                .withRank(rank)
                .withDeadline(shape.deadline())
                .withJoinTimeout(JOIN);
        WorkerConfig config = shape.recovery() == Shape.Recovery.CHECKPOINTS ? plain.withNode("worker-" + rank) : plain;
        node.start(pool -> SimulatedNodes.worker(config, network.transport(node.threads(), pool), pool));
        return node;
    }

    SimulatedNode<Client> client(Shape shape, int number) {
        SimulatedNode<Client> node = new SimulatedNode<>(machine.node("client " + number));
        WorkerConfig config = WorkerConfig.of(HOST, SCHEDULER_PORT).withDeadline(shape.deadline());
        node.start(pool -> SimulatedNodes.client(config, network.transport(node.threads(), pool), pool));
        return node;
    }
}
