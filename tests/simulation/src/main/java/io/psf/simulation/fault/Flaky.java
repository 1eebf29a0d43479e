package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Lets some of the frames between workers and servers break their connection, for a while. They are lost.
 *
 * @param perMille of how many frames in 1,000
 */
record Flaky(int perMille, long millis) implements Fault {
    static Fault draw(Shape shape, SplittableRandom random) {
        return new Flaky(5 + random.nextInt(100), Nodes.millis(random, 3_000));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.network().setBreaking(perMille);
        Thread.sleep(millis);
        world.network().setBreaking(0);
        world.say("no frame breaks its connection any more");
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return perMille + " of 1,000 frames between workers and servers break their connection, for " + millis + " ms";
    }
}
