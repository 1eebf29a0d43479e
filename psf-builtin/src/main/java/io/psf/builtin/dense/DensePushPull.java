package io.psf.builtin.dense;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Pushes an update of a whole tensor and pulls the values with the update applied: one request, atomic per shard. */
@PsFunction("psf.dense.pushpull")
public interface DensePushPull {
    /**
     * The pushed update.
     *
     * @param tensor the tensor to push to and pull from
     * @param update [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange @Wire FloatArray update) {}

    /**
     * The values with the update applied; on a synchronous tensor with the whole round applied.
     *
     * @param values [rows, width] float32
     */
    record Response(@ByRange @Wire FloatArray values) {}

    /** Passes the update to the shard's optimizer, on arrival or with the round, then returns the values. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).dense(slice.update(), () -> new Response(Answers.values(shard)));
    }
}
