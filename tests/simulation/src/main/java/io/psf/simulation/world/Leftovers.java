package io.psf.simulation.world;

import java.time.Duration;
import java.util.List;

/** The end of a cluster: after it no thread, connection or frame of a node is left. */
final class Leftovers {
    /** More than the deadlines and the limits of all nodes. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private Leftovers() {}

    static void check(World world) throws InterruptedException {
        close(world, "client");
        close(world, "worker");
        close(world, "server");
        close(world, "scheduler");
        List<SimulatedNode<?>> alive = world.nodes().stream()
                .filter(each -> !each.threads().isKilled())
                .toList();
        long until = world.machine().millis() + LIMIT.toMillis();
        while (alive.stream().anyMatch(each -> !each.threads().live().isEmpty())
                && world.machine().millis() < until) {
            Thread.sleep(100);
        }
        for (SimulatedNode<?> each : alive) {
            List<Thread> threads = each.threads().live();
            if (!threads.isEmpty()) {
                throw new Violation("threads of " + each.name() + " after its end: " + threads + " (expected: none), "
                        + List.of(threads.get(0).getStackTrace()));
            }
            long used = each.pool().usedBytes();
            if (used != 0 && each.name().startsWith("worker")) { // the lanes of the others keep scratch memory
                throw new Violation("frames of " + each.name() + " after its end: " + used + " bytes (expected: 0)");
            }
        }
        String network = world.network().leftovers();
        if (network != null && alive.size() == world.nodes().size()) {
            throw new Violation("after the end of all nodes: " + network);
        }
    }

    /** Closes the nodes of a role side by side: they may wait for each other. */
    private static void close(World world, String role) throws InterruptedException {
        Tasks closing = new Tasks();
        for (SimulatedNode<?> each : world.nodes()) {
            AutoCloseable node = each.now();
            if (each.name().startsWith(role) && !each.threads().isKilled() && node != null) {
                closing.on(each.threads(), () -> {
                    try {
                        node.close();
                    } catch (io.psf.api.PsException e) {
                        world.say("closing " + each.name() + ": " + e.getMessage());
                    }
                });
            }
        }
        closing.await();
    }
}
