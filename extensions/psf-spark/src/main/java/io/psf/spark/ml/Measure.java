package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The losses of some rows, and how their margins order them.
 *
 * @param rows the number of rows
 * @param loss the sum of their losses
 * @param labels [2 * BINS], the numbers of rows of label 0 and of label 1 by margin; null if none were counted
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
@DefaultSerializer(JavaSerializer.class)
record Measure(long rows, double loss, long @Nullable [] labels) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int BINS = 1 << 14;

    static Measure of(long rows, double loss) {
        return new Measure(rows, loss, null);
    }

    static long[] bins() {
        return new long[2 * BINS];
    }

    /** Counts a row: bins are of equal width in the probability's logit, clipped at 16. */
    static void count(long[] labels, float margin, float label) {
        int bin = (int) ((Math.max(-16, Math.min(16, margin)) + 16) * (BINS / 32f));
        labels[2 * Math.min(bin, BINS - 1) + (label > 0 ? 1 : 0)]++;
    }

    Measure plus(Measure other) {
        long[] sum = labels == null ? other.labels : labels.clone();
        if (sum != null && labels != null && other.labels != null) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += other.labels[i];
            }
        }
        return new Measure(rows + other.rows, loss + other.loss, sum);
    }

    double meanLoss() {
        return rows == 0 ? Double.NaN : loss / rows;
    }

    /** Returns the area under the ROC curve; NaN if a label does not occur. Rows of one bin count as ties. */
    double auc() {
        if (labels == null) {
            return Double.NaN;
        }
        double zeros = 0;
        double ones = 0;
        double pairs = 0;
        for (int i = 0; i < labels.length; i += 2) {
            pairs += labels[i + 1] * (zeros + labels[i] / 2.0);
            zeros += labels[i];
            ones += labels[i + 1];
        }
        return pairs / (zeros * ones);
    }
}
