package io.psf.spark.ml;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.spark.PsClient;
import io.psf.spark.ml.functions.CosinesPsf;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * The vectors of a model on the servers: a row for each word.
 *
 * @param name what the tensors' names begin with
 * @param words the number of words
 * @param size the number of dimensions
 * @param isSaved true if there are checkpoints of them
 */
record VectorTable(String name, int words, int size, boolean isSaved) implements Serializable {
    /** The most floats of a slice. */
    private static final int MOST = Integer.MAX_VALUE / Float.BYTES;

    TensorId input() {
        return TensorId.of(name + ".input");
    }

    TensorId output() {
        return TensorId.of(name + ".output");
    }

    /** Makes the tensors with the first values. */
    void init(PsClient client, long seed) {
        int fewest = words / Math.max(1, MOST / size) + 1;
        TensorSpec input = TensorSpec.table(input().name(), words, size)
                .slices(Math.min(words, Math.max(client.servers(), fewest)));
        double limit = .5 / Math.sqrt(size);
        Tensors.init(
                client,
                List.of(input, input.named(output().name()).initializer(Initializers.uniform(-limit, limit, seed))));
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
        float[] found = new float[of.length * size];
        Tensors.pullRows(client, input(), Arrays.stream(of).asLongStream().toArray(), found)
                .await();
        return found;
    }

    /**
     * Returns the cosine of the angle between a vector and the vector of each word, computed by the servers; 0 for a
     * vector of zeros.
     */
    float[] similarities(ClusterCaller client, float[] vector) {
        return CosinesPsf.stub(client)
                .call(input(), FloatArray.wrap(vector))
                .await()
                .cosines()
                .toArray();
    }
}
