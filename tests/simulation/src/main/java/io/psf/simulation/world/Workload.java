package io.psf.simulation.world;

import java.util.List;
import java.util.SplittableRandom;

/** What the workers of a simulated cluster do, and the oracle that knows what must come of it. One object a run. */
public interface Workload {
    /** Returns its name, as in {@code --workload}. */
    String name();

    /** Draws the cluster that it runs on. */
    Shape shape(SplittableRandom random);

    /** Returns the kinds of faults that it stands on a cluster. */
    List<Fault.Kind> faults(Shape shape);

    /**
     * Runs on a cluster that has formed. Returns when all calls have ended.
     *
     * @throws Violation if a promise did not hold
     */
    void run(World world) throws Exception;
}
