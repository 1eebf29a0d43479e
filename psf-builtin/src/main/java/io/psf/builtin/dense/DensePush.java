package io.psf.builtin.dense;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Wire;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Pushes an update of a whole tensor. Answered once the update is in the values. */
@PsFunction("psf.dense.push")
public interface DensePush {
    /**
     * The pushed update.
     *
     * @param tensor the tensor to push to
     * @param update [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange @Wire FloatArray update) {}

    /** The acknowledgement. */
    record Response() {}

    /** Passes the update to the shard's optimizer, on arrival or with the round. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).dense(slice.update(), Response::new);
    }
}
