package io.psf.kvstore;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.builtin.push.Pushes;
import java.util.concurrent.CompletionStage;

/** Pushes a compressed update of a whole tensor. Answered once the update is in the values. */
@PsFunction("psf.kv.push")
public interface PushCodes {
    /**
     * The compressed update: for each slice the codes of its elements, which begin with a word of their own.
     *
     * @param tensor the tensor to push to
     * @param compression the meaning of the codes
     * @param threshold the threshold of the compression
     * @param slices [slices] int64, the first row of each slice that has rows
     * @param counts [slices] int32, the number of words of each slice
     * @param codes [words] int32, the slices' words, one slice after the other; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            Compression compression,
            float threshold,
            @ByKey LongArray slices,
            @Along("slices") IntArray counts,
            @Ragged("counts") IntArray codes) {}

    /** The acknowledgement. */
    record Response() {}

    /** Passes the update to the shard's optimizer, on arrival or with the round. */
    default CompletionStage<Response> handle(Request slice, Shard shard) {
        long begin = shard.range().begin();
        if (slice.slices().length() != 1 || slice.slices().get(0) != begin) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "first rows: " + slice.slices() + " (expected: " + begin + ", as slice " + shard.slice() + ")");
        }
        float[] update = slice.compression()
                .decode(slice.codes(), Math.multiplyExact(shard.rows(), shard.width()), slice.threshold());
        return Pushes.of(shard).dense(FloatArray.wrap(update), Response::new);
    }
}
