package io.psf.spark.ml;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.spark.ml.functions.SkipGramSimilar;
import io.psf.spark.ml.functions.SkipGramSimilarPsf;
import io.psf.spark.ml.functions.SkipGramStartPsf;
import java.io.Serializable;
import java.util.List;

/**
 * The vectors of a model on the servers. Their dimensions are divided into blocks, one for each slice of the tensors,
 * whose row {@code block * words + word} is the block of a word's vector.
 *
 * @param name what the tensors' names begin with
 * @param words the number of words
 * @param size the number of dimensions
 * @param blocks the number of blocks
 * @param isSaved true if there are checkpoints of them
 */
record VectorTable(String name, int words, int size, int blocks, boolean isSaved) implements Serializable {
    /** The most floats of a slice. */
    private static final long MOST = Integer.MAX_VALUE / Float.BYTES;

    /** The words of a call on all words: 1 MB for the products of a slice. */
    private static final int PAGE = 1 << 18;

    VectorTable {
        if ((long) words * width(size, blocks) > MOST) {
            throw new IllegalArgumentException("slices: " + blocks + " for " + words + " words of " + size
                    + " dimensions (expected: at most " + MOST + " floats in each)");
        }
    }

    /** Returns the fewest slices, at least a number of them, of which each has as many dimensions as another. */
    static int blocks(int words, int size, int wanted) {
        int blocks = Math.min(size, wanted);
        while (blocks < size && (long) words * width(size, blocks) > MOST) {
            blocks++;
        }
        return blocks;
    }

    private static int width(int size, int blocks) {
        return (size + blocks - 1) / blocks;
    }

    private int width() {
        return width(size, blocks);
    }

    TensorId input() {
        return TensorId.of(name + ".input");
    }

    TensorId output() {
        return TensorId.of(name + ".output");
    }

    private TensorSpec spec(TensorId tensor) {
        return TensorSpec.dense(tensor.name(), (long) blocks * words, width()).slices(blocks);
    }

    /** Makes the tensors with the first values. */
    void init(ClusterCaller client, long seed) {
        Tensors.init(client, List.of(spec(input()), spec(output()).beside(input())));
        SkipGramStartPsf.stub(client).call(input(), size, seed).await();
    }

    /** Frees the output vectors, which only training needs. */
    void clearOutput(ClusterCaller client) {
        Tensors.clear(client, output());
    }

    /** Frees all vectors, and deletes their checkpoints. */
    void clear(ClusterCaller client) {
        Tensors.clear(client, input());
        Tensors.clear(client, output());
        if (isSaved) {
            EpochLoop.checkpoints(name).delete();
        }
    }

    /**
     * Pulls the vectors of words.
     *
     * @param of the words
     * @return [of, size] float32
     */
    float[] pull(ClusterCaller client, int[] of) {
        int width = width();
        long[] keys = new long[of.length * blocks];
        for (int block = 0; block < blocks; block++) {
            for (int i = 0; i < of.length; i++) {
                keys[block * of.length + i] = (long) block * words + of[i];
            }
        }
        float[] found = new float[keys.length * width];
        Tensors.pullRows(client, input(), keys, found).await();
        float[] vectors = new float[of.length * size];
        for (int block = 0; block < blocks; block++) {
            int n = Math.min(width, size - block * width);
            for (int i = 0; i < of.length && n > 0; i++) {
                System.arraycopy(found, (block * of.length + i) * width, vectors, i * size + block * width, n);
            }
        }
        return vectors;
    }

    /**
     * Returns the cosine of the angle between a vector and the vector of each word, computed by the servers; 0 for a
     * vector of zeros.
     */
    float[] similarities(ClusterCaller client, float[] vector) {
        float[] query = new float[blocks * width()];
        System.arraycopy(vector, 0, query, 0, size);
        double square = 0;
        for (float x : vector) {
            square += (double) x * x;
        }
        float[] found = new float[words];
        for (int first = 0; first < words; first += PAGE) {
            int n = Math.min(PAGE, words - first);
            SkipGramSimilar.Response page = SkipGramSimilarPsf.stub(client)
                    .call(input(), FloatArray.wrap(query), first, n)
                    .await();
            for (int i = 0; i < n; i++) {
                double lengths = Math.sqrt(square * page.squares().get(i));
                found[first + i] = lengths == 0 ? 0 : (float) (page.products().get(i) / lengths);
            }
        }
        return found;
    }
}
