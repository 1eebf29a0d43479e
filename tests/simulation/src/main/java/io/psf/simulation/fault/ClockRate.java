package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Lets the clock of a node run fast or slowly from now on.
 *
 * @param percent the speed, from 50 to 200 of 100; of the scheduler, from 75 to 140
 */
record ClockRate(String node, int percent) implements Fault {
    /** The lease of a server is over if its clock runs more than three times as fast as the scheduler's (ADR 0067). */
    static Fault draw(Shape shape, SplittableRandom random) {
        String node = Nodes.any(shape, random);
        return new ClockRate(node, node.equals("scheduler") ? 75 + random.nextInt(66) : 50 + random.nextInt(151));
    }

    static Fault ofServer(Shape shape, SplittableRandom random) {
        return new ClockRate(Nodes.server(shape, random), 50 + random.nextInt(151));
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
