package io.psf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The benchmark's parts, each a job of its own. */
@SuppressWarnings("ImmutableEnumChecker") // stateless lambdas
enum Part {
    /** Most of it: one server, one worker. */
    ONE_WORKER(BenchWorker.class, Placement.APART, transport -> {
        List<Case> cases = new ArrayList<>(DenseCases.all(transport));
        cases.addAll(SparseCases.all());
        cases.addAll(GrowingCases.all());
        cases.addAll(OptimizerCases.all());
        cases.addAll(GarbageCases.all());
        return cases;
    }),
    /** A few cases again, where nobody has a processor to spin on. */
    ONE_PROCESSOR(BenchWorker.class, Placement.TOGETHER, DenseCases::together),
    /** What several workers reach together. */
    SEVERAL_WORKERS(ScalingWorkers.class, Placement.FREE, transport -> ScalingWorkers.cases()),
    /** A few cases over shared memory, where the others go over TCP. */
    SHARED_MEMORY(BenchWorker.class, Placement.APART, transport -> DenseCases.shared()),
    /** A server with more values than heap. */
    LARGE_SERVER(BenchWorker.class, Placement.FREE, transport -> List.of(HeapCase.heap()));

    /** The program that is run as the worker. */
    final Class<?> program;

    private final Placement placement;
    private final Function<Transport, List<Case>> cases;

    Part(Class<?> program, Placement placement, Function<Transport, List<Case>> cases) {
        this.program = program;
        this.placement = placement;
        this.cases = cases;
    }

    /** Where its processes run on this machine: the placement that it wants, if the machine can. */
    Placement placement() {
        return placement.missing() == null ? placement : Placement.FREE;
    }

    /** Why the machine cannot place the part's processes as it wants; null if it can. */
    @Nullable
    String missing() {
        return placement.missing();
    }

    /** How many workers the cluster has, all of them in the one process. */
    int workers() {
        return this == SEVERAL_WORKERS ? ScalingWorkers.MOST : 1;
    }

    List<Case> cases(Transport transport) {
        return cases.apply(transport);
    }
}
