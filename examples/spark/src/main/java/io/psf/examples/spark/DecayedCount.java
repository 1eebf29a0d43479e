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
 * Counts events by key, on the servers: with each day that has passed since a key's last event, its count is multiplied
 * by a factor, and then the events are added. No parameter server has such a push; here it is one interface.
 */
@PsFunction("examples.spark.count")
public interface DecayedCount {
    /**
     * The events.
     *
     * @param counts a growing table, two floats wide: a key's count, and the day of its last event
     * @param keys [n] int64; events of a key that occurs more than once are added before they are sent
     * @param events [n] float32
     * @param day of the events, from 1 on; not before that of earlier calls
     * @param factor from 0 to 1, the same for all calls
     */
    record Request(
            TensorId counts,
            @ByKey(combine = SUM) LongArray keys,
            @Along(value = "keys", width = 1) FloatArray events,
            int day,
            float factor) {}

    /** The acknowledgement. A function of a task has no other answer: Spark may run the task again. */
    record Response() {}

    /** Counts this shard's keys. */
    default Response handle(Request slice, Shard shard) {
        int[] rows = shard.rows(slice.keys());
        FloatArray values = shard.values();
        for (int i = 0; i < rows.length; i++) {
            int count = 2 * rows[i];
            int last = count + 1;
            float kept = (float) Math.pow(slice.factor(), slice.day() - values.get(last));
            values.set(count, kept * values.get(count) + slice.events().get(i));
            values.set(last, slice.day());
        }
        return new Response();
    }
}
