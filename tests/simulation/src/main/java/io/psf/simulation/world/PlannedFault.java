package io.psf.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A fault of a run.
 *
 * @param number its number in the plan, by which a run is repeated with some of its faults
 * @param atMillis the virtual time from the beginning of the workload
 */
public record PlannedFault(int number, long atMillis, Fault fault) {
    private static final int MOST = 8;

    /** Draws the faults of a run. */
    public static List<PlannedFault> plan(List<Fault.Kind> kinds, Shape shape, SplittableRandom random) {
        List<PlannedFault> plan = new ArrayList<>();
        int count = kinds.isEmpty() ? 0 : random.nextInt(MOST + 1);
        for (int number = 0; number < count; number++) {
            Fault fault = kinds.get(random.nextInt(kinds.size())).draw(shape, random);
            // Some at once, most in the first second: a workload on a fast network is over soon.
            plan.add(new PlannedFault(number, random.nextLong(1L << 2 + random.nextInt(12)), fault));
        }
        return plan;
    }

    @Override
    public String toString() {
        return number + ": after " + atMillis + " ms " + fault;
    }
}
