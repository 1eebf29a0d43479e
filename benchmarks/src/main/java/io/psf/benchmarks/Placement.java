package io.psf.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which processors the processes of a part run on, and whether they spin. */
enum Placement {
    /** The server and the floor's other end on one processor, the worker on another; psf and the floor spin. */
    APART(2),
    /** All on one processor; neither psf nor the floor spins. */
    TOGETHER(1),
    /** Wherever the system puts them; psf spins, the floor does not. */
    FREE(0);

    private final int processors;

    Placement(int processors) {
        this.processors = processors;
    }

    /** Why this machine cannot place processes so; null if it can. */
    @Nullable
    String missing() {
        int there = Processors.here().numbers().size();
        if (processors == 0) {
            return null;
        }
        if (!Processors.here().canPin()) {
            return "this machine has no taskset";
        }
        return there >= processors ? null : "processors: " + there + " (expected: at least " + processors + ")";
    }

    /** The command that starts a node there; empty for one that starts as it is. */
    List<String> launcher(String node) {
        return switch (this) {
            case FREE -> List.of();
            case TOGETHER -> Processors.here().pin(0);
            case APART -> Processors.here().pin(node.startsWith("worker") ? 1 : 0);
        };
    }

    /** The flags of a JVM there: one that is pinned still counts all processors, so that it collects and compiles as usual. */
    List<String> flags() {
        return this == FREE
                ? List.of()
                : List.of("-XX:ActiveProcessorCount=" + Runtime.getRuntime().availableProcessors());
    }

    /** The settings of the nodes. */
    Map<String, String> environment() {
        Map<String, String> settings = new HashMap<>(Processors.here().environment());
        if (this == TOGETHER) {
            settings.put("PSF_SPIN_MICROS", "0");
        }
        return settings;
    }

    /** True if the floor's two ends poll their socket and do not sleep. */
    boolean floorSpins() {
        return this == APART;
    }

    /** The name of a case: nothing is said of the usual placement. */
    String named(String name) {
        return this == TOGETHER ? name + ", together" : name;
    }

    /** The placement as the report describes it. */
    String description() {
        return switch (this) {
            case FREE -> "free (wherever the system puts the processes; psf spins, the floor blocks)";
            case TOGETHER -> "together (all on processor " + first() + "; nobody spins)";
            case APART ->
                "apart (server on processor " + first() + ", worker on " + second() + "; psf and the floor spin)";
        };
    }

    private static int first() {
        return Processors.here().numbers().get(0);
    }

    private static int second() {
        return Processors.here().numbers().get(1);
    }
}
