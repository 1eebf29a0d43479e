package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.util.Arrays;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Weights in this process.
 *
 * @param keys [n] int64, ascending
 * @param rows [n, width] float32; the rows of other keys are 0
 * @param bias [outputs] float32
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
@DefaultSerializer(JavaSerializer.class)
record LocalWeights(Kernel kernel, long[] keys, float[] rows, float[] bias) implements Weights {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public float[] margins(Batch batch, boolean needsAll) {
        return kernel.margins(batch, weightsOf(batch.keys()), bias, needsAll);
    }

    @Override
    public float[] weightsOf(long[] wanted) {
        int width = kernel.width();
        float[] weights = new float[wanted.length * width];
        int from = 0;
        for (int i = 0; i < wanted.length && from < keys.length; i++) { // both ascend
            int at = find(from, wanted[i]);
            if (at >= 0) {
                System.arraycopy(rows, at * width, weights, i * width, width);
            }
            from = at >= 0 ? at + 1 : -at - 1;
        }
        return weights;
    }

    @Override
    public Dataset<Row> frame(SparkSession spark) {
        return WeightFrames.of(spark, this);
    }

    /** As a binary search, which looks near {@code from} first. */
    private int find(int from, long key) {
        int step = 1;
        int low = from;
        while (low + step < keys.length && keys[low + step] < key) {
            low += step;
            step *= 2;
        }
        return Arrays.binarySearch(keys, low, Math.min(keys.length, low + step + 1), key);
    }
}
