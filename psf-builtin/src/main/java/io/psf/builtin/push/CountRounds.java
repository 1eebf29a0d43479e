package io.psf.builtin.push;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Returns the number of rounds of a synchronous tensor, of late pushes, and of pushes that were left out. */
@PsFunction(value = "psf.rounds", readOnly = true)
public interface CountRounds {
    /**
     * The tensor.
     *
     * @param tensor the tensor whose rounds are counted
     */
    record Request(TensorId tensor) {}

    /**
     * The counts. The slices of a tensor close their rounds independently.
     *
     * @param closed the number of rounds that have closed, on the slice with the most
     * @param late the number of late pushes by the worker's rank, on the slice with the most
     * @param skipped the number of pushes that were left out since they had an element that is not finite, by the
     *     worker's rank, on the slice with the most
     */
    record Response(
            @Reduce(Reduction.MAX) long closed,
            @Reduce(Reduction.MAX) Map<String, Long> late,
            @Reduce(Reduction.MAX) Map<String, Long> skipped) {}

    /** Returns the shard's counts. */
    default Response handle(Request slice, Shard shard) {
        Optional<Pushes> pushes = Pushes.find(shard);
        return new Response(
                pushes.map(Pushes::closed).orElse(0L),
                byName(pushes.map(Pushes::late).orElse(Map.of())),
                byName(pushes.map(Pushes::skipped).orElse(Map.of())));
    }

    private static Map<String, Long> byName(Map<Integer, Long> byWorker) {
        Map<String, Long> named = new HashMap<>();
        byWorker.forEach((worker, count) -> named.put(worker.toString(), count));
        return named;
    }
}
