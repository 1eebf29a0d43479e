package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Each call to a disk takes its time, for a while.
 *
 * @param role the nodes that use it: the scheduler, or all servers
 * @param mostMillis the longest time of a call
 */
record SlowDisk(String role, long mostMillis, long millis) implements Fault {
    static Fault ofServers(Shape shape, SplittableRandom random) {
        return new SlowDisk("server", Nodes.millis(random, 200), Nodes.millis(random, 4_000));
    }

    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        return new SlowDisk("scheduler", Nodes.millis(random, 50), Nodes.millis(random, 4_000));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.disk(role).setSlow(1_000_000 * mostMillis);
        Thread.sleep(millis);
        world.disk(role).setSlow(0);
        world.say("the disk of every " + role + " is as fast as before");
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return "each call to the disk of every " + role + " takes up to " + mostMillis + " ms, for " + millis + " ms";
    }
}
