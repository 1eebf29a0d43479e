package io.psf.simulation;

import io.psf.simulation.agent.Plant;
import io.psf.simulation.agent.SimulationAgent;
import io.psf.simulation.machine.Machine;
import io.psf.simulation.machine.Planted;
import io.psf.simulation.workload.Workloads;
import io.psf.simulation.world.PlannedFault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Runs plans, one after another, on the calling thread. */
public final class Simulation {
    private static final int MOST_CALLS = 60;
    private static final Machine.Bounds BOUNDS =
            new Machine.Bounds(5_000_000, Duration.ofMinutes(20).toNanos());

    /**
     * Runs between two collections of garbage: a run that has to wait for direct memory waits for a thread of the JVM.
     */
    private static final int RUNS_OF_A_COLLECTION = 50;

    private static boolean isWarm;
    private static int runs;

    private Simulation() {}

    /**
     * Runs a plan.
     *
     * @throws IllegalStateException if this JVM cannot simulate
     * @throws IllegalArgumentException if no workload or fault is as the plan says
     */
    public static Outcome run(Plan plan) {
        prepare();
        return runOnce(plan);
    }

    private static void prepare() {
        if (!SimulationAgent.isLoaded()) {
            throw new IllegalStateException(SimulationAgent.missing());
        }
        if (!isWarm) {
            isWarm = true;
            ClassPath.initialize();
            // What other libraries do once in a process.
            Workloads.all().forEach(each -> runOnce(new Plan(0, each.name(), List.of(), 2, false)));
        }
    }

    /** Runs a plan with a defect. */
    public static Outcome run(Plan plan, Plant defect) {
        prepare();
        Planted.plant(defect.name());
        try {
            return runOnce(plan);
        } finally {
            Planted.plant("");
        }
    }

    private static Outcome runOnce(Plan plan) {
        if (++runs % RUNS_OF_A_COLLECTION == 0) {
            System.gc();
        }
        Machine machine = new Machine(plan.seed(), plan.keepsTrace());
        Workload workload = plan.workload() == null ? Workloads.of(plan.seed()) : Workloads.named(plan.workload());
        Shape shape = workload.shape(machine.random("shape"));
        List<PlannedFault> faults =
                chosen(plan, PlannedFault.plan(workload.faults(shape), shape, machine.random("faults")));
        SplittableRandom random = machine.random("calls");
        int calls = plan.calls() > 0 ? plan.calls() : 1 + random.nextInt(MOST_CALLS);
        World world = new World(machine, shape, faults, calls);
        try {
            String[] failure = new String[1];
            Machine.End end = machine.run(BOUNDS, () -> failure[0] = failureOf(world, workload));
            return new Outcome(
                    plan,
                    workload.name(),
                    faults,
                    calls,
                    Verdict.of(machine, world, end, failure[0]),
                    machine.trace().hash(),
                    machine.steps(),
                    machine.millis() / 1e3,
                    machine.trace().sentences());
        } finally {
            world.forget();
        }
    }

    private static List<PlannedFault> chosen(Plan plan, List<PlannedFault> all) {
        List<Integer> numbers = plan.faults();
        if (numbers == null) {
            return all;
        }
        numbers.stream()
                .filter(each -> each < 0 || each >= all.size())
                .findFirst()
                .ifPresent(each -> {
                    throw new IllegalArgumentException("fault: " + each + " (expected: one of the " + all.size()
                            + " faults of seed " + plan.seed() + ", from 0)");
                });
        return all.stream().filter(each -> numbers.contains(each.number())).toList();
    }

    private static @Nullable String failureOf(World world, Workload workload) {
        try {
            world.form();
            workload.run(world);
            world.close();
            return null;
        } catch (Throwable e) { // also an assertion of psf
            return Verdict.text(e);
        }
    }
}
