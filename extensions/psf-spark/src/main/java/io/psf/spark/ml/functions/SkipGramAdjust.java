package io.psf.spark.ml.functions;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;

/**
 * Changes the vectors of groups of words, by a number for each pair that {@link SkipGramDots} has returned a product
 * for. Group by group, each input vector grows by the output vectors of its pairs, times their numbers, and each output
 * vector by the input vectors, as both were before the group. Each slice changes its block of the dimensions.
 */
@PsFunction("psf.spark.skipgram.adjust")
public interface SkipGramAdjust {
    /**
     * The groups of words; borrowed until await returns.
     *
     * @param input the input vectors
     * @param output the output vectors, a tensor of the same shape and slices
     * @param inputWords [m] int32, the words of the input vectors, each once
     * @param outputWords [k] int32, the words of the output vectors, each once
     * @param targets the number of output vectors of a group, at least 1
     * @param counts [n] int32, the numbers of input vectors of the groups
     * @param inputAt [sum of counts] int32, positions in {@code inputWords}
     * @param outputAt [n, targets] int32, positions in {@code outputWords}
     * @param factors [sum of counts, targets] float32, the number of each pair
     */
    record Request(
            TensorId input,
            TensorId output,
            IntArray inputWords,
            IntArray outputWords,
            int targets,
            IntArray counts,
            IntArray inputAt,
            IntArray outputAt,
            FloatArray factors) {}

    /** The acknowledgement. */
    record Response() {}

    /** Changes this shard's block. */
    default Response handle(Request slice, Shard shard) {
        Groups groups = Groups.ofLane();
        groups.read(slice.targets(), slice.counts(), slice.inputAt(), slice.outputAt());
        Vectors.require("factors", slice.factors().length(), groups.pairs());
        Shard output = shard.other(slice.output());
        groups.input().read(shard, slice.inputWords());
        groups.output().read(output, slice.outputWords());
        float[] factors = groups.products();
        slice.factors().copyTo(factors);
        groups.adjust(factors);
        groups.input().write(shard);
        groups.output().write(output);
        return new Response();
    }
}
