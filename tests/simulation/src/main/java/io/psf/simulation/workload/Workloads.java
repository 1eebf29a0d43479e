package io.psf.simulation.workload;

import io.psf.simulation.world.Workload;
import java.util.List;
import java.util.function.Supplier;

/** All workloads. */
public final class Workloads {
    private static final List<Supplier<Workload>> ALL = List.of(
            AppendLog::new,
            Registers::new,
            Sums::new,
            SynchronousRounds::new,
            QuorumRounds::new,
            Barriers::new,
            Clocks::new,
            Deadlines::new,
            Training::new,
            Chains::new,
            GrowingTable::new,
            Visitors::new,
            Restarts::new,
            Declarations::new,
            CachedTable::new,
            BoundedTable::new,
            TaskAttempts::new);

    private Workloads() {}

    /** Returns a new workload of each kind. */
    public static List<Workload> all() {
        return ALL.stream().map(Supplier::get).toList();
    }

    /** Returns a new workload of the kind that a seed has. */
    public static Workload of(long seed) {
        return ALL.get((int) Math.floorMod(seed, (long) ALL.size())).get();
    }

    /**
     * Returns a new workload of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Workload named(String name) {
        List<Workload> all = all();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).name().equals(name)) {
                return ALL.get(i).get();
            }
        }
        throw new IllegalArgumentException("workload: " + name + " (expected: one of "
                + String.join(", ", all.stream().map(Workload::name).toList()) + ")");
    }
}
