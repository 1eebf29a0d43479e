package io.psf.spark.ml.functions;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/**
 * Returns the dot products of a vector and the input vectors of consecutive words, and the squares of their lengths.
 */
@PsFunction(value = "psf.spark.skipgram.similar", readOnly = true)
public interface SkipGramSimilar {
    /**
     * The vector and the words.
     *
     * @param input the input vectors
     * @param query [blocks * width] float32; borrowed until await returns
     * @param first the first word
     * @param n the number of words
     */
    record Request(TensorId input, FloatArray query, int first, int n) {}

    /**
     * The products.
     *
     * @param products [n] float32, the dot product of the vector and the word's vector
     * @param squares [n] float32, the dot product of the word's vector and itself
     */
    record Response(
            @Reduce(Reduction.SUM) FloatArray products,
            @Reduce(Reduction.SUM) FloatArray squares) {}

    /** Returns the products of this shard's block. */
    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        if (slice.first() < 0 || slice.n() < 0 || slice.first() > shard.rows() - slice.n()) {
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "words " + slice.first() + " and " + slice.n() + " from there (expected: of " + shard.rows() + ")");
        }
        Vectors.require(
                "query", slice.query().length(), (long) width * (shard.spec().rows() / shard.rows()));
        float[] query = new float[width];
        slice.query().copyTo(shard.slice() * width, query, 0, width);
        FloatArray values = shard.values();
        FloatArray products = shard.allocate(slice.n());
        FloatArray squares = shard.allocate(slice.n());
        float[] row = new float[width];
        float[] both = new float[2];
        for (int i = 0; i < slice.n(); i++) {
            values.copyTo((slice.first() + i) * width, row, 0, width);
            Dots.of(query, row, row, width, both, 0, 1);
            products.set(i, both[0]);
            squares.set(i, both[1]);
        }
        return new Response(products, squares);
    }
}
