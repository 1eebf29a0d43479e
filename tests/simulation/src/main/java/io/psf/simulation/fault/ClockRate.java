package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Lets the clock of a node run fast or slowly from now on.
 *
 * @param percent the speed, from 50 to 200 of 100
 */
record ClockRate(String node, int percent) implements Fault {
    static Fault draw(Shape shape, SplittableRandom random) {
        return new ClockRate(Nodes.any(shape, random), 50 + random.nextInt(151));
    }

    @Override
    public void happen(World world) {
        world.node(node).threads().setRate(percent / 100.0);
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return "the clock of " + node + " runs at " + percent + " percent";
    }
}
