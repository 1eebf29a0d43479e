package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Delays all frames for a while.
 *
 * @param mostDelayMillis the longest time of a frame meanwhile
 */
record Slowness(long mostDelayMillis, long millis) implements Fault {
    static Fault draw(Shape shape, SplittableRandom random) {
        return new Slowness(1 + random.nextInt(100), Nodes.millis(random, 5_000));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        long before = world.shape().mostDelay().toNanos();
        world.network().setMostDelay(mostDelayMillis * 1_000_000);
        Thread.sleep(millis);
        world.network().setMostDelay(before);
        world.say("the network is as fast as before");
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return "frames take up to " + mostDelayMillis + " ms, for " + millis + " ms";
    }
}
