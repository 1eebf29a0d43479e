package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Calls to a disk fail for a while.
 *
 * @param role the nodes that use it: the scheduler, or all servers
 * @param perMille how many of 1,000 calls fail
 */
record DiskError(String role, int perMille, long millis) implements Fault {
    static Fault ofServers(Shape shape, SplittableRandom random) {
        return draw("server", random);
    }

    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        return draw("scheduler", random);
    }

    private static Fault draw(String role, SplittableRandom random) {
        return new DiskError(role, (int) Nodes.millis(random, 1_000), Nodes.millis(random, 4_000));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.disk(role).setErrors(perMille);
        Thread.sleep(millis);
        world.disk(role).setErrors(0);
        world.say("the disk of every " + role + " works again");
    }

    @Override
    public boolean mayLose() {
        return role.equals("server");
    }

    @Override
    public boolean breaksJournal() {
        return role.equals("scheduler");
    }

    @Override
    public String toString() {
        return perMille + " of 1,000 calls to the disk of every " + role + " fail, for " + millis + " ms";
    }
}
