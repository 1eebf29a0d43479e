package io.psf.benchmarks;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;

/** The memory of the servers' processes. */
@PsFunction(value = "bench.memory", at = Place.SERVER, readOnly = true)
public interface Memory {
    /**
     * A question.
     *
     * @param collect whether the heap is collected first
     */
    record Request(boolean collect) {}

    /**
     * Bytes, of all servers together.
     *
     * @param heap used
     * @param direct in direct buffers
     * @param resident in memory, as the system says; 0 if it does not
     * @param allocated on the heap by all threads that live, since they began
     */
    record Response(
            @Reduce(SUM) long heap,
            @Reduce(SUM) long direct,
            @Reduce(SUM) long resident,
            @Reduce(SUM) long allocated) {}

    /** Answers for this process. */
    default Response handle(Request request, Node node) {
        return ThisProcess.memory(request.collect());
    }
}
