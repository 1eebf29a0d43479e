package io.psf.simulation;

import io.psf.simulation.machine.Machine;
import io.psf.simulation.world.SimulatedNode;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges a run: what failed, and where its threads were. */
final class Verdict {
    private static final int FRAMES = 12;

    private Verdict() {}

    static @Nullable String of(Machine machine, World world, Machine.End end, @Nullable String failure) {
        if (end != Machine.End.DONE) {
            return "the run does not end: " + end + threads(world);
        } else if (failure != null) {
            return failure;
        } else if (!machine.failures().isEmpty()) {
            return "threads have failed: " + machine.failures();
        } else if (machine.foreigners() > 0) {
            return machine.foreigners() + " steps that threads of the JVM have caused (expected: 0), the last one "
                    + machine.foreigner();
        }
        return null;
    }

    static String text(Throwable e) {
        StringBuilder text = new StringBuilder(e instanceof Violation ? String.valueOf(e.getMessage()) : e.toString());
        Throwable cause = e instanceof Violation ? e.getCause() : e;
        if (cause != null) {
            frames(List.of(cause.getStackTrace()), text);
        }
        return text.toString();
    }

    private static String threads(World world) {
        StringBuilder text = new StringBuilder();
        for (SimulatedNode<?> node : world.nodes()) {
            for (Thread each : node.threads().live()) {
                text.append("\n  ").append(each.getName());
                frames(List.of(each.getStackTrace()), text);
            }
        }
        return text.toString();
    }

    private static void frames(List<StackTraceElement> stack, StringBuilder text) {
        stack.stream()
                .filter(each -> each.getClassName().startsWith("io.psf"))
                .limit(FRAMES)
                .forEach(each -> text.append("\n      at ").append(each));
    }
}
