package io.psf.simulation.fault;

import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.World;
import java.util.SplittableRandom;

/**
 * Breaks the connections between two nodes several times. What is under way is lost.
 *
 * @param times how often, each after a pause
 */
record Cut(String a, String b, int times, long pauseMillis, boolean mayLose) implements Fault {
    static Fault ofServer(Shape shape, SplittableRandom random) {
        return draw(Nodes.worker(shape, random), Nodes.server(shape, random), random, false);
    }

    /** A worker that does not come back to the scheduler within a second is lost. */
    static Fault ofScheduler(Shape shape, SplittableRandom random) {
        String node = random.nextBoolean() ? Nodes.worker(shape, random) : Nodes.server(shape, random);
        return draw(node, "scheduler", random, true);
    }

    private static Fault draw(String a, String b, SplittableRandom random, boolean mayLose) {
        return new Cut(a, b, 1 + random.nextInt(6), Nodes.millis(random, 400), mayLose);
    }

    @Override
    public void happen(World world) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            int cut = world.network().cut(a, b);
            world.say(cut + " connections between " + a + " and " + b + " are cut");
            Thread.sleep(pauseMillis);
        }
    }

    @Override
    public String toString() {
        return "the connections between " + a + " and " + b + " break " + times + " times, every " + pauseMillis
                + " ms";
    }
}
