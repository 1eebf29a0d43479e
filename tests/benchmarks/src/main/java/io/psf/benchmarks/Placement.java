package io.psf.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The processors that the processes of a part run on, and whether the processes spin. */
enum Placement {
    /** The server and the floor's peer on one processor, the worker on another; psf and the floor spin. */
    APART(2),
    /** All processes on one processor; neither psf nor the floor spins. */
    TOGETHER(1),
    /** The operating system places the processes; psf spins, the floor does not. */
    FREE(0);

    private final int processors;

    Placement(int processors) {
        this.processors = processors;
    }

    /** Returns the reason why this machine does not support the placement; null if it does. */
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

    /** Returns the command prefix that starts a node with this placement; empty for none. */
    List<String> launcher(String node) {
        return switch (this) {
            case FREE -> List.of();
            case TOGETHER -> Processors.here().pin(0);
            case APART -> Processors.here().pin(node.startsWith("worker") ? 1 : 0);
        };
    }

    /**
     * Returns the JVM flags of this placement. A pinned JVM still counts all processors, so that it collects and
     * compiles as usual.
     */
    List<String> flags() {
        return this == FREE
                ? List.of()
                : List.of("-XX:ActiveProcessorCount=" + Runtime.getRuntime().availableProcessors());
    }

    /** Returns the settings of the nodes. */
    Map<String, String> environment() {
        Map<String, String> settings = new HashMap<>(Processors.here().environment());
        if (this == TOGETHER) {
            settings.put("PSF_SPIN_MICROS", "0");
        }
        return settings;
    }

    /** True if both ends of the floor's connection poll their sockets instead of blocking. */
    boolean floorSpins() {
        return this == APART;
    }

    /** Returns the name of a case with this placement; only {@link #TOGETHER} is named. */
    String named(String name) {
        return this == TOGETHER ? name + ", together" : name;
    }

    /** Returns the description of the placement for the report. */
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
