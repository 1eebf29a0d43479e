package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.SimulatedNode;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A machine loses its power, and has it again: its processes end silently, what they have not forced to their disk is
 * lost or torn, and they are started again.
 *
 * @param role the nodes of the machine: the scheduler, or all servers
 */
record Torn(String role, long restartMillis, boolean mayLose) implements Fault {
    static Fault ofServers(Shape shape, SplittableRandom random) {
        return new Torn("server", Nodes.millis(random, 20_000), true);
    }

    /** A scheduler with a journal: nothing is lost. */
    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        return new Torn("scheduler", Nodes.millis(random, 1_000), false);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        List<String> nodes = world.nodes().stream()
                .filter(each -> !each.threads().isKilled())
                .map(SimulatedNode::name)
                .filter(each -> each.startsWith(role))
                .toList();
        world.supervisor()
                .restart(
                        nodes,
                        () -> {
                            nodes.forEach(each -> world.kill(each, true));
                            world.disk(role).lose();
                        },
                        restartMillis);
    }

    @Override
    public boolean mayFail() {
        return false;
    }

    @Override
    public boolean needsJournal() {
        return role.equals("scheduler");
    }

    @Override
    public long silenceMillis() {
        return role.equals("scheduler") ? restartMillis : 0;
    }

    @Override
    public String toString() {
        return "the machine of every " + role + " loses its power, and what is not forced to its disk, for "
                + restartMillis + " ms";
    }
}
