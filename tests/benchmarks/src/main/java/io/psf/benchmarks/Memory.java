package io.psf.benchmarks;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;

/** Measures the memory of the servers' processes. */
@PsFunction(value = "bench.memory", at = Place.SERVER, readOnly = true)
public interface Memory {
    /**
     * The request.
     *
     * @param collect true if a garbage collection runs first
     */
    record Request(boolean collect) {}

    /**
     * The memory in bytes, summed over all servers.
     *
     * @param heap the used heap
     * @param direct the memory of direct buffers
     * @param resident the resident set size of the process; 0 if unknown
     * @param allocated the bytes that all live threads have allocated on the heap since they started
     */
    record Response(
            @Reduce(SUM) long heap,
            @Reduce(SUM) long direct,
            @Reduce(SUM) long resident,
            @Reduce(SUM) long allocated) {}

    /** Returns the memory of this process. */
    default Response handle(Request request, Node node) {
        return ThisProcess.memory(request.collect());
    }
}
