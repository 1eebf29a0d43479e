package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.SimulatedNode;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/** Stops a process for a while, as SIGSTOP does. */
record Pause(String node, long millis, boolean mayLose) implements Fault {
    static Fault brief(Shape shape, SplittableRandom random) {
        return new Pause(
                Nodes.any(shape, random), Nodes.millis(random, shape.heartbeat().toMillis() / 5), false);
    }

    static Fault lasting(Shape shape, SplittableRandom random) {
        return new Pause(
                Nodes.any(shape, random),
                Nodes.millis(random, 4 * shape.heartbeat().toMillis()),
                true);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        SimulatedNode<?> paused = world.node(node);
        paused.threads().pause();
        Thread.sleep(millis);
        paused.threads().resume();
        world.say(node + " continues");
    }

    @Override
    public long silenceMillis() {
        return millis;
    }

    @Override
    public String toString() {
        return node + " is stopped for " + millis + " ms";
    }
}
