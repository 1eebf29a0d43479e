package io.psf.runtime.internal.cluster;

import static io.psf.api.layout.Reduction.AND;
import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;
import static io.psf.api.layout.Reduction.OR;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduce;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys of two tensors, keys in a list, rows of different lengths, an array that may be missing, and each fold. */
@PsFunction("vectors.keys")
interface VectorKeys {
    enum Mode {
        FAST,
        EXACT
    }

    record Item(long key, float weight) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Request(
            TensorId tensor,
            TensorId other,
            Mode mode,
            short small,
            int[] copied,
            Map<String, Double> options,
            @Nullable FloatArray bias,
            @ByKey(combine = MIN) LongArray keys,
            @Along("keys") FloatArray rows,
            @Along(value = "keys", width = 2) DoubleArray pairs,
            @ByKey(of = "other", combine = MAX) LongArray others,
            @Along(value = "others", width = 1) IntArray counts,
            @ByKey("key") List<Item> items,
            @ByKey LongArray nodes,
            @Along(value = "nodes", width = 1) IntArray degrees,
            @Ragged("degrees") LongArray neighbors) {}

    record Response(
            @Reduce(AND) boolean all,
            @Reduce(OR) boolean any,
            @Reduce(MIN) int least,
            @Reduce(MAX) double most,
            @Reduce(SUM) float total,
            @Reduce(SUM) DoubleArray sums,
            @Reduce(MAX) Map<String, Long> ages,
            List<String> words,
            @Along("keys") FloatArray values,
            @Along("items") List<Item> seen,
            @ByKey LongArray found,
            @Along(value = "found", width = 1) IntArray sizes,
            @Ragged("sizes") DoubleArray history,
            @Along(value = "nodes", width = 1) IntArray lengths,
            @Ragged("lengths") ByteArray bytes) {}

    Response handle(Request slice, Shard shard);
}
