package io.psf.simulation;

import io.psf.simulation.world.PlannedFault;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a run came to.
 *
 * @param workload the name of the workload
 * @param faults the faults that were planned
 * @param calls the calls of each worker
 * @param failure the promise that did not hold; null if all did
 * @param hash a number that is the same for equal runs alone
 * @param steps how often a thread was continued
 * @param virtualSeconds the virtual time of the run
 * @param sentences what happened; empty unless the plan keeps them
 */
public record Outcome(
        Plan plan,
        String workload,
        List<PlannedFault> faults,
        int calls,
        @Nullable String failure,
        long hash,
        long steps,
        double virtualSeconds,
        List<String> sentences) {
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "seed %d, %s: %s; %d faults, %d calls a worker, %d steps, %.3f virtual seconds, hash %016x",
                plan.seed(),
                workload,
                failure == null ? "holds" : "FAILS: " + failure,
                faults.size(),
                calls,
                steps,
                virtualSeconds,
                hash);
    }
}
