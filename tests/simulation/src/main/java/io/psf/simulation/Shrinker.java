package io.psf.simulation;

import io.psf.simulation.world.PlannedFault;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Finds the least that still fails: first without halves of the faults, then without single ones (delta debugging,
 * Zeller and Hildebrandt 2002), then with fewer calls. Each try is a run.
 */
public final class Shrinker {
    private final Function<Plan, Outcome> runs;
    private Outcome least;

    private Shrinker(Outcome failed, Function<Plan, Outcome> runs) {
        this.runs = runs;
        this.least = failed;
    }

    /** Returns the outcome of the least plan that fails as well, perhaps with another failure. */
    public static Outcome shrink(Outcome failed) {
        return shrink(failed, Simulation::run);
    }

    static Outcome shrink(Outcome failed, Function<Plan, Outcome> runs) {
        Shrinker shrinker = new Shrinker(failed, runs);
        shrinker.withFewerFaults();
        shrinker.withFewerCalls();
        return shrinker.least;
    }

    private void withFewerFaults() {
        int size = Math.max(1, least.faults().size() / 2);
        while (!least.faults().isEmpty()) {
            boolean isLess = false;
            List<Integer> numbers =
                    least.faults().stream().map(PlannedFault::number).toList();
            for (int at = 0; at < numbers.size() && !isLess; at += size) {
                List<Integer> fewer = new ArrayList<>(numbers);
                fewer.subList(at, Math.min(numbers.size(), at + size)).clear();
                isLess = fails(least.plan().withFaults(fewer));
            }
            if (!isLess && size == 1) {
                return;
            }
            size = isLess ? Math.max(1, Math.min(size, least.faults().size())) : size / 2;
        }
    }

    private void withFewerCalls() {
        while (least.calls() > 1) {
            int calls = least.calls();
            if (!fails(least.plan().withCalls(calls / 2)) && !fails(least.plan().withCalls(calls - 1))) {
                return;
            }
        }
    }

    private boolean fails(Plan plan) {
        Outcome outcome = runs.apply(plan);
        if (outcome.failure() == null) {
            return false;
        }
        least = outcome;
        return true;
    }
}
