package io.psf.builtin.dense;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Sends an update of a whole tensor and fetches the values that it leads to: one request, atomic on a shard. */
@PsFunction("psf.dense.pushpull")
public interface DensePushPull {
    /**
     * What is pushed.
     *
     * @param tensor where to
     * @param update [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange FloatArray update) {}

    /**
     * The values with the update in them; on a synchronous tensor with all of its round.
     *
     * @param values [rows, width] float32
     */
    record Response(@ByRange FloatArray values) {}

    /** Hands the update to the shard's optimizer, then answers the values. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).dense(slice.update(), () -> new Response(shard.values()));
    }
}
