package io.psf.spark.ml.functions;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;

/**
 * Sets input vectors to their first values: uniform, within 0.5 / size of 0. The values of a word are the same for any
 * number of slices. Dimensions beyond the size, with which the last blocks are as wide as the others, are 0.
 */
@PsFunction("psf.spark.skipgram.start")
public interface SkipGramStart {
    /**
     * The vectors.
     *
     * @param input the input vectors
     * @param size the dimensions of a vector
     * @param seed the seed of the values
     */
    record Request(TensorId input, int size, long seed) {}

    /** The acknowledgement. */
    record Response() {}

    /** Sets this shard's block. */
    default Response handle(Request slice, Shard shard) {
        FloatArray values = shard.values();
        int width = shard.width();
        int first = shard.slice() * width;
        float[] row = new float[width];
        for (int word = 0; word < shard.rows(); word++) {
            for (int d = 0; d < width && first + d < slice.size(); d++) {
                row[d] = (uniform(slice.seed() + (long) word * slice.size() + first + d) - 0.5f) / slice.size();
            }
            values.copyFrom(word * width, row, 0, width);
        }
        return new Response();
    }

    /**
     * Returns a number of [0, 1), a hash of the counter: Steele et al., Fast splittable pseudorandom number generators,
     * 2014.
     */
    private static float uniform(long counter) {
        long bits = counter * 0x9E3779B97F4A7C15L;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return ((bits ^ bits >>> 31) >>> 40) * 0x1p-24f;
    }
}
