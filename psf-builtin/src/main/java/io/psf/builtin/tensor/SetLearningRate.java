package io.psf.builtin.tensor;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.builtin.optimizer.LearningRate;

/** Sets the learning rate of a tensor's optimizer while it is trained. The rate is saved with the tensor. */
@PsFunction("psf.optimizer.rate")
public interface SetLearningRate {
    /**
     * The rate.
     *
     * @param tensor the tensor
     * @param rate the learning rate, before the factor of a schedule
     */
    record Request(TensorId tensor, float rate) {}

    /** The acknowledgement. */
    record Response() {}

    /** Sets the rate of this shard. */
    default Response handle(Request slice, Shard shard) {
        LearningRate.set(shard, slice.rate());
        return new Response();
    }
}
