package io.psf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parts of the benchmark. Each part is a separate job. */
@SuppressWarnings("ImmutableEnumChecker") // stateless lambdas
enum Part {
    /** Most cases: one server, one worker. */
    ONE_WORKER(BenchWorker.class, Placement.APART, transport -> {
        List<Case> cases = new ArrayList<>(DenseCases.all(transport));
        cases.addAll(SparseCases.all());
        cases.addAll(BagCases.all());
        cases.addAll(TableCases.all());
        cases.addAll(GrowingCases.all());
        cases.addAll(OptimizerCases.all());
        cases.addAll(TypeCases.all());
        cases.addAll(GarbageCases.all());
        return cases;
    }),
    /** A few cases again on one processor, without spinning. */
    ONE_PROCESSOR(BenchWorker.class, Placement.TOGETHER, DenseCases::together),
    /** Calls that are counted. */
    METER(BenchWorker.class, Placement.FREE, transport -> MeterCases.all()),
    /** The throughput of several workers together. */
    SEVERAL_WORKERS(ScalingWorkers.class, Placement.FREE, transport -> ScalingWorkers.cases()),
    /** A few cases over shared memory, where the others go over TCP. */
    SHARED_MEMORY(BenchWorker.class, Placement.APART, transport -> DenseCases.shared()),
    /** The resident memory of a server with a small heap. */
    SMALL_HEAP(BenchWorker.class, Placement.FREE, transport -> GrowingCases.memory()),
    /** A server with more values than heap. */
    LARGE_SERVER(BenchWorker.class, Placement.FREE, transport -> List.of(HeapCase.heap())),
    /** A table that is larger than the memory. */
    MAPPED(BenchWorker.class, Placement.FREE, transport -> MappedCases.all());

    /** The main class of the worker. */
    final Class<?> program;

    private final Placement placement;
    private final Function<Transport, List<Case>> cases;

    Part(Class<?> program, Placement placement, Function<Transport, List<Case>> cases) {
        this.program = program;
        this.placement = placement;
        this.cases = cases;
    }

    /**
     * Returns the placement on this machine: the part's own placement if the machine supports it, else
     * {@link Placement#FREE}.
     */
    Placement placement() {
        return placement.missing() == null ? placement : Placement.FREE;
    }

    /** Returns the reason why the machine does not support the part's placement; null if it does. */
    @Nullable
    String missing() {
        return placement.missing();
    }

    /** Returns the number of workers in the cluster, all in one process. */
    int workers() {
        return this == SEVERAL_WORKERS ? ScalingWorkers.MOST : 1;
    }

    /** Returns the flags of the server's JVM. */
    List<String> flags() {
        return switch (this) {
            case SMALL_HEAP, LARGE_SERVER -> List.of("-Xmx256m");
            case MAPPED -> List.of("-Xmx128m");
            default -> List.of();
        };
    }

    /** Returns the settings of all processes. */
    Map<String, String> settings() {
        String workers = Integer.toString(workers());
        return this == MAPPED
                ? Map.of("PSF_WORKERS", workers, "PSF_MAPPED", MappedCases.FOLDER.toString())
                : Map.of("PSF_WORKERS", workers);
    }

    List<Case> cases(Transport transport) {
        return cases.apply(transport);
    }
}
