package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/** Sets the wall clock of a node forward or back. */
record ClockJump(String node, long millis) implements Fault {
    static Fault draw(Shape shape, SplittableRandom random) {
        return of(Nodes.any(shape, random), random);
    }

    static Fault ofServer(Shape shape, SplittableRandom random) {
        return of(Nodes.server(shape, random), random);
    }

    private static Fault of(String node, SplittableRandom random) {
        return new ClockJump(node, random.nextLong(-3_600_000, 3_600_000));
    }

    @Override
    public void happen(World world) {
        world.node(node).threads().jump(millis);
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return "the wall clock of " + node + " is set by " + millis + " ms";
    }
}
