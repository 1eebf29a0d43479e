package io.psf.examples.spark;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * Counts events by key, on the servers: a count is multiplied by a factor, and the events are added. No parameter
 * server has such a push; here it is one interface. The factor is the same for all keys of a call.
 */
@PsFunction("examples.spark.count")
public interface DecayedCount {
    /**
     * The events.
     *
     * @param counts a growing table, one float wide
     * @param keys [n] int64; events of a key that occurs more than once are added before they are sent
     * @param events [n] float32
     * @param factor from 0 to 1
     */
    record Request(
            TensorId counts,
            @ByKey(combine = SUM) LongArray keys,
            @Along("keys") FloatArray events,
            float factor) {}

    /** The acknowledgement. A function of a task has no other answer: Spark may run the task again. */
    record Response() {}

    /** Counts this shard's keys. */
    default Response handle(Request slice, Shard shard) {
        int[] rows = shard.rows(slice.keys());
        FloatArray counts = shard.values();
        for (int i = 0; i < rows.length; i++) {
            counts.set(
                    rows[i],
                    slice.factor() * counts.get(rows[i]) + slice.events().get(i));
        }
        return new Response();
    }
}
