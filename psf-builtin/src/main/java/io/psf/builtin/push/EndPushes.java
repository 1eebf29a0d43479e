package io.psf.builtin.push;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** Says that the calling worker pushes no more to a tensor. Does nothing on an asynchronous one. */
@PsFunction("psf.push.end")
public interface EndPushes {
    /**
     * The tensor.
     *
     * @param tensor the tensor to which the worker pushes no more
     */
    record Request(TensorId tensor) {}

    /** The acknowledgement. */
    record Response() {}

    /**
     * Closes the rounds that have waited for this worker alone. No further round waits for it until it pushes again, or
     * all have ended.
     */
    default Response handle(Request slice, Shard shard) {
        Pushes.find(shard).ifPresent(pushes -> pushes.end(Workers.rank(shard.call(), "end of pushes")));
        return new Response();
    }
}
