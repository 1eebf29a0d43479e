package io.psf.builtin.dense;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Sends an update of a whole tensor; answered once it is in the values. */
@PsFunction("psf.dense.push")
public interface DensePush {
    /**
     * What is pushed.
     *
     * @param tensor where to
     * @param update [rows, width] float32; borrowed until await returns
     */
    record Request(TensorId tensor, @ByRange FloatArray update) {}

    /** That it is done. */
    record Response() {}

    /** Hands the update to the shard's optimizer, at once or with its round. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return Pushes.of(shard).dense(slice.update(), Response::new);
    }
}
