package io.psf.builtin.dense;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Wire;
import io.psf.builtin.answer.Answers;

/** Pulls all values of a tensor. */
@PsFunction(value = "psf.dense.pull", readOnly = true)
public interface DensePull {
    /**
     * The tensor to pull.
     *
     * @param tensor the tensor to pull from
     */
    record Request(TensorId tensor) {}

    /**
     * The values.
     *
     * @param values [rows, width] float32
     */
    record Response(@ByRange @Wire FloatArray values) {}

    /** Returns the shard's current values. */
    default Response handle(Request slice, Shard shard) {
        return new Response(Answers.values(shard));
    }
}
