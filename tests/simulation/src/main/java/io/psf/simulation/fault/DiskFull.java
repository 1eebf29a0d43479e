package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * A disk is full for a while.
 *
 * @param role the nodes that use it: the scheduler, or all servers
 */
record DiskFull(String role, long millis) implements Fault {
    static Fault ofServers(Shape shape, SplittableRandom random) {
        return new DiskFull("server", Nodes.millis(random, 4_000));
    }

    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        return new DiskFull("scheduler", Nodes.millis(random, 4_000));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.disk(role).setFull(true);
        Thread.sleep(millis);
        world.disk(role).setFull(false);
        world.say("the disk of every " + role + " has space again");
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
        return "the disk of every " + role + " is full for " + millis + " ms";
    }
}
