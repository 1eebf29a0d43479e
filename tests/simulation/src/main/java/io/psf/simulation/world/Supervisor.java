package io.psf.simulation.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Starts nodes again, each worker with its program, as a supervisor of processes does. */
public final class Supervisor {
    /** How often a node is started that fails to start, and the time in between. */
    private static final int MOST_STARTS = 5;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final World world;
    /** The number of faults that have ended nodes, and will start them again. */
    private int returning;

    private @Nullable IntConsumer program;
    /** By node, how often it was launched: a fault that ends a node that another one starts takes over. */
    private final Map<String, Integer> launches = new HashMap<>();

    Supervisor(World world) {
        this.world = world;
    }

    /** How a fault ends nodes. */
    @FunctionalInterface
    public interface Ending {
        void run() throws InterruptedException;
    }

    /** Sets what a worker runs that is started again, by its rank; null if no worker is started again. */
    public void whenStartedAgain(@Nullable IntConsumer again) {
        program = again;
    }

    /** True while a fault is to start nodes again. */
    public boolean isReturning() {
        return returning > 0;
    }

    /** Ends nodes, and starts them again after a time. Blocks until they have started. */
    public void restart(List<String> nodes, Ending ending, long millis) throws InterruptedException {
        returning++;
        try {
            ending.run();
            Thread.sleep(millis);
            List<Integer> numbers = nodes.stream().map(this::launch).toList();
            for (int i = 0; i < nodes.size(); i++) {
                awaitStart(nodes.get(i), numbers.get(i));
            }
        } finally {
            returning--;
        }
    }

    private int launch(String name) {
        if (program != null || !name.startsWith("worker")) {
            world.launch(name);
        }
        return launches.merge(name, 1, Integer::sum);
    }

    private void awaitStart(String name, int number) throws InterruptedException {
        int latest = number;
        for (int starts = 1;
                Integer.valueOf(latest).equals(launches.get(name))
                        && !world.node(name).threads().isKilled(); ) {
            SimulatedNode<?> node = world.node(name);
            if (node.now() != null) {
                world.say(name + " is started again");
                if (program != null && name.startsWith("worker")) {
                    program.accept(Integer.parseInt(name.substring("worker ".length())));
                }
                return;
            } else if (node.hasFailed() && starts++ == MOST_STARTS) {
                return;
            } else if (node.hasFailed()) {
                world.kill(name, false);
                Thread.sleep(PAUSE.toMillis());
                latest = launch(name);
            }
            Thread.sleep(10);
        }
    }
}
