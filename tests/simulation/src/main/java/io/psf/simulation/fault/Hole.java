package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Lets nothing arrive from one node at another one for a while, as a firewall that drops. Connections stay open.
 *
 * @param isBoth true for both directions
 */
record Hole(String from, String to, boolean isBoth, long millis, boolean mayLose) implements Fault {
    static Fault brief(Shape shape, SplittableRandom random) {
        return draw(shape, random, shape.heartbeat().toMillis() / 5, false);
    }

    static Fault lasting(Shape shape, SplittableRandom random) {
        return draw(shape, random, 4 * shape.heartbeat().toMillis(), true);
    }

    private static Fault draw(Shape shape, SplittableRandom random, long most, boolean mayLose) {
        String from = Nodes.any(shape, random);
        String to = Nodes.peer(from, shape, random);
        boolean isTurned = random.nextBoolean();
        return new Hole(
                isTurned ? to : from, isTurned ? from : to, random.nextBoolean(), Nodes.millis(random, most), mayLose);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        world.network().open(from, to);
        if (isBoth) {
            world.network().open(to, from);
        }
        Thread.sleep(millis);
        world.network().heal(from, to);
        if (isBoth) {
            world.network().heal(to, from);
        }
        world.say("frames arrive again from " + from + " at " + to);
    }

    @Override
    public long silenceMillis() {
        return millis;
    }

    @Override
    public String toString() {
        return "nothing arrives from " + from + " at " + to + (isBoth ? ", nor back," : "") + " for " + millis + " ms";
    }
}
