package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Tells a process to end, as SIGTERM does: it ends in order, and is started again.
 *
 * @param restartMillis after which time it is started again
 */
record Terminate(String node, long restartMillis, boolean mayLose) implements Fault {
    static Fault ofServer(Shape shape, SplittableRandom random) {
        return new Terminate(Nodes.server(shape, random), Nodes.millis(random, 20_000), true);
    }

    /** A scheduler with a journal: nothing is lost. */
    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        return new Terminate("scheduler", Nodes.millis(random, 1_000), false);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        if (!world.node(node).threads().isKilled()) {
            world.supervisor().restart(List.of(node), () -> world.terminate(node), restartMillis);
        }
    }

    @Override
    public boolean mayFail() {
        return false;
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
        return node + " is told to end, and started again after " + restartMillis + " ms";
    }
}
