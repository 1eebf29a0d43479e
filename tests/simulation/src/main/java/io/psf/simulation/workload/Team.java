package io.psf.simulation.workload;

import io.psf.api.PsException;
import io.psf.runtime.Worker;
import io.psf.simulation.world.SimulatedNode;
import io.psf.simulation.world.Tasks;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.World;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** The workers of a workload, which do the same side by side. */
final class Team {
    /** What each worker does. */
    @FunctionalInterface
    interface Work {
        void run(int rank, Worker worker) throws Exception;
    }

    /** How much later than at its deadline a call may end: a stopped process cannot end it. */
    private static final Duration SLACK = Duration.ofSeconds(45);

    private Team() {}

    /**
     * Runs work on each worker, while the faults happen. A call may fail if its nodes may be lost; the worker then
     * leaves, so that the others do not wait for it. Returns when all workers are done.
     */
    static void run(World world, Work work) throws InterruptedException {
        world.beginFaults();
        runQuietly(world, work);
    }

    /** As {@link #run}, with faults from the time on at which the workload begins them. */
    static void runQuietly(World world, Work work) throws InterruptedException {
        Tasks tasks = start(world, work);
        tasks.await();
        while (world.supervisor().isReturning()) {
            Thread.sleep(10);
            tasks.await();
        }
        world.supervisor().whenStartedAgain(null);
    }

    /** Starts work on each worker, and on each that is started again. */
    static Tasks start(World world, Work work) {
        Tasks tasks = new Tasks();
        IntConsumer program = rank -> {
            SimulatedNode<Worker> node = world.workers().get(rank);
            tasks.on(node.threads(), () -> run(world, node.get(), rank, work));
        };
        world.supervisor().whenStartedAgain(program);
        IntStream.range(0, world.workers().size()).forEach(program);
        return tasks;
    }

    private static void run(World world, Worker worker, int rank, Work work) throws Exception {
        try {
            work.run(rank, worker);
        } catch (PsException e) {
            if (!world.mayFail()) {
                throw new Violation(
                        "a call of worker " + rank + " failed (expected: an answer, since its nodes live)", e);
            }
            world.say("worker " + rank + " gives up: " + e.getMessage());
            leave(world, worker);
        }
    }

    static void leave(World world, Worker worker) {
        try {
            worker.close();
        } catch (PsException e) {
            world.say("closing worker " + worker.rank() + ": " + e.getMessage());
        }
    }

    /** Requires that a call that began at a time, in milliseconds, has ended by its deadline. */
    static void requireInTime(World world, long began) {
        long millis = world.machine().millis() - began;
        if (millis > world.shape().deadline().plus(SLACK).toMillis()) {
            throw new Violation("a call took " + millis + " ms (expected: an end by its deadline of "
                    + world.shape().deadline().toMillis() + " ms)");
        }
    }
}
