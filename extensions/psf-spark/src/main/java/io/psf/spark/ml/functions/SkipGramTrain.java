package io.psf.spark.ml.functions;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;

/**
 * Trains groups of words where one slice has all dimensions, and thus the whole dot products: what {@link SkipGramDots}
 * and {@link SkipGramAdjust} do by two calls. The product of a pair is that after the groups before its group.
 */
@PsFunction("psf.spark.skipgram.train")
public interface SkipGramTrain {
    /**
     * The groups of words, as in {@link SkipGramAdjust}; borrowed until await returns.
     *
     * @param input the input vectors, a tensor of one slice
     * @param output the output vectors, a tensor of the same shape
     * @param inputWords [m] int32, the words of the input vectors, each once
     * @param outputWords [k] int32, the words of the output vectors, each once
     * @param targets the number of output vectors of a group: the first is the word's vector, the others are negative
     *     samples
     * @param counts [n] int32, the numbers of input vectors of the groups
     * @param inputAt [sum of counts] int32, positions in {@code inputWords}
     * @param outputAt [n, targets] int32, positions in {@code outputWords}
     * @param rate the learning rate
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
            float rate) {}

    /** The acknowledgement. */
    record Response() {}

    /** Trains the vectors of this shard. */
    default Response handle(Request slice, Shard shard) {
        if (shard.spec().rows() != shard.rows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices of tensor " + shard.spec().id() + ": more than one (expected: 1, which has whole vectors)");
        }
        Groups groups = Groups.ofLane();
        groups.read(slice.targets(), slice.counts(), slice.inputAt(), slice.outputAt());
        Shard output = shard.other(slice.output());
        groups.input().read(shard, slice.inputWords());
        groups.output().read(output, slice.outputWords());
        groups.train(slice.rate());
        groups.input().write(shard);
        groups.output().write(output);
        return new Response();
    }
}
