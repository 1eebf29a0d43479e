package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Kills a process.
 *
 * @param isSilent true if its connections stay half open
 * @param restartMillis after which time it is started again; negative for never
 */
record Kill(String node, boolean isSilent, long restartMillis, boolean mayLose) implements Fault {
    static Fault ofWorker(Shape shape, SplittableRandom random) {
        return new Kill(Nodes.worker(shape, random), random.nextBoolean(), -1, true);
    }

    static Fault ofServer(Shape shape, SplittableRandom random) {
        return new Kill(Nodes.server(shape, random), random.nextBoolean(), -1, true);
    }

    static Fault workerReturns(Shape shape, SplittableRandom random) {
        return new Kill(Nodes.worker(shape, random), random.nextBoolean(), Nodes.millis(random, 20_000), true);
    }

    static Fault serverReturns(Shape shape, SplittableRandom random) {
        return new Kill(Nodes.server(shape, random), random.nextBoolean(), Nodes.millis(random, 20_000), true);
    }

    /** A scheduler with a journal: nothing is lost. */
    static Fault schedulerReturns(Shape shape, SplittableRandom random) {
        return new Kill("scheduler", random.nextBoolean(), Nodes.millis(random, 1_000), false);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        if (world.node(node).threads().isKilled()) {
            return;
        } else if (restartMillis < 0) {
            world.kill(node, isSilent);
        } else {
            world.supervisor().restart(List.of(node), () -> world.kill(node, isSilent), restartMillis);
        }
    }

    @Override
    public boolean mayFail() {
        return mayLose && restartMillis < 0 && !node.startsWith("worker");
    }

    @Override
    public boolean needsJournal() {
        return node.equals("scheduler");
    }

    @Override
    public long silenceMillis() {
        return node.equals("scheduler") ? restartMillis : 0;
    }

    @Override
    public String toString() {
        return node + " is killed"
                + (isSilent ? ", its connections stay half open" : "")
                + (restartMillis < 0 ? "" : ", and started again after " + restartMillis + " ms");
    }
}
