package io.psf.simulation;

import io.psf.simulation.agent.Plant;
import io.psf.simulation.world.PlannedFault;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code psf simulate}: runs a cluster on one thread, by a seed. The exit code is 1 if a promise does not hold.
 */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description =
                "Runs a whole cluster on one thread with a virtual clock and faults, by a seed. A seed that fails is run"
                        + " again with fewer faults and fewer calls; the least that fails is printed, with the line that repeats"
                        + " it. Needs JDK 25.")
final class SimulateCommand implements Callable<Integer> {
    @Option(names = "--seed", paramLabel = "N", required = true, description = "draws the run")
    private long seed;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "1",
            description = "the number of seeds, from --seed on (default: 1)")
    private int seeds;

    @Option(names = "--workload", paramLabel = "NAME", description = "the workload (default: one that the seed draws)")
    private @Nullable String workload;

    @Option(
            names = "--faults",
            paramLabel = "N,N..",
            description = "the numbers of the faults that happen, or none (default: all that the seed draws)")
    private @Nullable String faults;

    @Option(names = "--calls", paramLabel = "N", description = "the calls of each worker (default: as the seed draws)")
    private int calls;

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            description = "puts a defect into psf, one of docs/simulation.md, to see how a failure looks")
    private @Nullable String plant;

    @Option(names = "--trace", description = "prints what happens, as sentences with the virtual time and the node")
    private boolean trace;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        int failures = 0;
        for (long each = seed; each < seed + seeds; each++) {
            failures += run(new Plan(each, workload, numbers(), calls, trace)) ? 0 : 1;
        }
        if (seeds > 1) {
            System.out.println(seeds + " seeds, " + failures + " failed");
        }
        return failures == 0 ? 0 : 1;
    }

    private boolean run(Plan plan) {
        Outcome outcome;
        try {
            outcome = run(plan, defect());
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        outcome.sentences().forEach(System.out::println);
        if (seeds == 1 || outcome.failure() != null) {
            print(outcome);
        }
        if (outcome.failure() != null && faults == null && calls == 0) {
            Plant defect = defect();
            Outcome least = Shrinker.shrink(outcome, fewer -> run(fewer, defect));
            System.out.println("The least that fails:");
            print(least);
            System.out.println("  " + least.plan().withTrace().command() + (plant == null ? "" : " --plant " + plant));
        }
        return outcome.failure() == null;
    }

    private static Outcome run(Plan plan, @Nullable Plant defect) {
        return defect == null ? Simulation.run(plan) : Simulation.run(plan, defect);
    }

    private @Nullable Plant defect() {
        return plant == null
                ? null
                : Plant.all().stream()
                        .filter(each -> each.name().equals(plant))
                        .findFirst()
                        .orElseThrow(() -> wrong("--plant: " + plant + " (expected: one of "
                                + String.join(
                                        ", ",
                                        Plant.all().stream().map(Plant::name).toList()) + ")"));
    }

    private static void print(Outcome outcome) {
        System.out.println(outcome);
        for (PlannedFault each : outcome.faults()) {
            System.out.println("  fault " + each);
        }
    }

    private @Nullable List<Integer> numbers() {
        if (faults == null || faults.equals("none")) {
            return faults == null ? null : List.of();
        }
        try {
            return Arrays.stream(faults.split(","))
                    .map(each -> Integer.parseInt(each.strip()))
                    .toList();
        } catch (NumberFormatException e) {
            throw wrong("--faults: " + faults + " (expected: numbers with commas, such as 3,9, or none)");
        }
    }

    private ParameterException wrong(@Nullable String what) {
        if (spec == null) {
            throw new IllegalStateException("command: not parsed");
        }
        return new ParameterException(spec.commandLine(), what);
    }
}
