package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Rows that a training step has in common. Its keys were made distinct once, for all epochs.
 *
 * @param labels [rows] float32
 * @param importance [rows] float32, how often each row counts
 * @param ends [rows], the end of each row among the entries
 * @param keys [distinct] int64, ascending
 * @param slots [entries], the number of each entry's key
 * @param values [entries] float32; null if all are 1
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Batch(float[] labels, float[] importance, int[] ends, long[] keys, int[] slots, float @Nullable [] values)
        implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    int rows() {
        return labels.length;
    }
}
