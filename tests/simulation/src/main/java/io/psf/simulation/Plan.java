package io.psf.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to run.
 *
 * @param seed draws everything that the other components leave open
 * @param workload its name; null for the workload that the seed has
 * @param faults the numbers of the faults that happen; null for all
 * @param calls the calls of each worker; 0 for as many as the seed draws
 * @param keepsTrace true if the run keeps its sentences
 */
public record Plan(
        long seed, @Nullable String workload, @Nullable List<Integer> faults, int calls, boolean keepsTrace) {
    /** Returns the plan of a seed, without a trace. */
    public static Plan of(long seed) {
        return new Plan(seed, null, null, 0, false);
    }

    /** Returns a copy with a workload. */
    public Plan of(String name) {
        return new Plan(seed, name, faults, calls, keepsTrace);
    }

    /** Returns a copy with some of the faults. */
    public Plan withFaults(List<Integer> numbers) {
        return new Plan(seed, workload, List.copyOf(numbers), calls, keepsTrace);
    }

    /** Returns a copy with a number of calls. */
    public Plan withCalls(int number) {
        return new Plan(seed, workload, faults, number, keepsTrace);
    }

    /** Returns a copy that keeps its sentences. */
    public Plan withTrace() {
        return new Plan(seed, workload, faults, calls, true);
    }

    /** Returns the line that runs this plan. */
    public String command() {
        StringBuilder line = new StringBuilder("./psf simulate --seed " + seed);
        if (workload != null) {
            line.append(" --workload ").append(workload);
        }
        if (faults != null) {
            line.append(" --faults ")
                    .append(
                            faults.isEmpty()
                                    ? "none"
                                    : String.join(
                                            ",",
                                            faults.stream().map(String::valueOf).toList()));
        }
        if (calls > 0) {
            line.append(" --calls ").append(calls);
        }
        return line.append(keepsTrace ? " --trace" : "").toString();
    }
}
