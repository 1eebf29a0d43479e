package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/** Breaks the connections between two nodes, and lets one of them refuse new ones for a while. */
record Refusal(String node, String peer, long millis) implements Fault {
    static Fault draw(Shape shape, SplittableRandom random) {
        String worker = Nodes.worker(shape, random);
        return new Refusal(Nodes.server(shape, random), worker, Nodes.millis(random, 500));
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.network().setRefusing(node, true);
        world.network().cut(node, peer);
        Thread.sleep(millis);
        world.network().setRefusing(node, false);
        world.say(node + " accepts connections again");
    }

    @Override
    public boolean mayLose() {
        return false;
    }

    @Override
    public String toString() {
        return "the connections of " + peer + " to " + node + " break, and " + node + " refuses new ones for " + millis
                + " ms";
    }
}
