package io.psf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The benchmark's parts, each a job of its own. */
@SuppressWarnings("ImmutableEnumChecker") // stateless lambdas
enum Part {
    /** Most of it: one server, one worker. */
    ONE_WORKER(BenchWorker.class, 1, transport -> {
        List<Case> cases = new ArrayList<>(DenseCases.all(transport));
        cases.addAll(SparseCases.all());
        cases.addAll(GrowingCases.all());
        cases.addAll(OptimizerCases.all());
        cases.addAll(GarbageCases.all());
        return cases;
    }),
    /** What several workers reach together. */
    SEVERAL_WORKERS(ScalingWorker.class, ScalingWorker.MOST, transport -> ScalingWorker.cases()),
    /** A few cases over shared memory, where the others go over TCP. */
    SHARED_MEMORY(BenchWorker.class, 1, transport -> DenseCases.shared()),
    /** A server with more values than heap. */
    LARGE_SERVER(BenchWorker.class, 1, transport -> List.of(HeapCase.heap()));

    /** The program that is run as each worker. */
    final Class<?> program;

    final int workers;
    private final Function<Transport, List<Case>> cases;

    Part(Class<?> program, int workers, Function<Transport, List<Case>> cases) {
        this.program = program;
        this.workers = workers;
        this.cases = cases;
    }

    List<Case> cases(Transport transport) {
        return cases.apply(transport);
    }
}
