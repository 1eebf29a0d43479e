package io.psf.spark.ml.functions;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/**
 * Returns the dot products of the input vectors and the output vectors of groups of words, such as the words around a
 * word, and that word with negative samples. Each slice has a block of the dimensions of all vectors: the sum of the
 * slices' partial products is returned, and no vector travels (Ordentlich et al., Network-Efficient Distributed
 * Word2vec Training System for Large Vocabularies, 2016).
 *
 * <p>A tensor of vectors has a row for each block and word, [blocks * words, width], and a slice for each block.
 */
@PsFunction(value = "psf.spark.skipgram.dots", readOnly = true)
public interface SkipGramDots {
    /**
     * The groups of words. Their arrays are as in {@link SkipGramAdjust}; borrowed until await returns.
     *
     * @param input the input vectors
     * @param output the output vectors, a tensor of the same shape and slices
     * @param inputWords [m] int32, the words of the input vectors
     * @param outputWords [k] int32, the words of the output vectors
     * @param targets the number of output vectors of a group, at least 1
     * @param counts [n] int32, the numbers of input vectors of the groups
     * @param inputAt [sum of counts] int32, positions in {@code inputWords}
     * @param outputAt [n, targets] int32, positions in {@code outputWords}
     */
    record Request(
            TensorId input,
            TensorId output,
            IntArray inputWords,
            IntArray outputWords,
            int targets,
            IntArray counts,
            IntArray inputAt,
            IntArray outputAt) {}

    /**
     * The products.
     *
     * @param products [sum of counts, targets] float32
     */
    record Response(@Reduce(Reduction.SUM) FloatArray products) {}

    /** Returns the products of this shard's block. */
    default Response handle(Request slice, Shard shard) {
        Groups groups = Groups.ofLane();
        groups.read(slice.targets(), slice.counts(), slice.inputAt(), slice.outputAt());
        groups.input().read(shard, slice.inputWords());
        groups.output().read(shard.other(slice.output()), slice.outputWords());
        float[] products = groups.products();
        groups.multiply(products);
        FloatArray answer = shard.allocate(groups.pairs());
        answer.copyFrom(0, products, 0, groups.pairs());
        return new Response(answer);
    }
}
