package io.psf.simulation.fault;

import io.psf.simulation.world.Shape;
import java.util.SplittableRandom;

/** Draws nodes and durations for faults. */
final class Nodes {
    private Nodes() {}

    static String server(Shape shape, SplittableRandom random) {
        return "server " + random.nextInt(shape.servers());
    }

    static String worker(Shape shape, SplittableRandom random) {
        return "worker " + random.nextInt(shape.workers());
    }

    static String any(Shape shape, SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> "scheduler";
            case 1, 2 -> server(shape, random);
            default -> worker(shape, random);
        };
    }

    /** Draws another node that this one talks to. */
    static String peer(String of, Shape shape, SplittableRandom random) {
        if (of.startsWith("worker")) {
            return random.nextInt(4) == 0 ? "scheduler" : server(shape, random);
        }
        return of.equals("scheduler") && random.nextBoolean() ? server(shape, random) : worker(shape, random);
    }

    /** Draws a duration of at most a time, mostly much shorter. */
    static long millis(SplittableRandom random, long most) {
        return 1 + (long) (most * Math.pow(random.nextDouble(), 3));
    }
}
