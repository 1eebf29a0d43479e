package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The losses of some rows, each as often as it counts, and how their margins order them.
 *
 * @param rows the number of rows
 * @param importance how often they count in all
 * @param loss the sum of their losses
 * @param labels [2 * BINS], how often rows of label 0 and of label 1 count by margin; null if none were counted
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
@DefaultSerializer(JavaSerializer.class)
record Measure(long rows, double importance, double loss, double @Nullable [] labels) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int BINS = 1 << 14;

    static final Measure NONE = new Measure(0, 0, 0, null);

    /** Counts the rows of a batch, with the sum of their losses. */
    static Measure of(Batch batch, double loss) {
        double sum = 0;
        for (float each : batch.importance()) {
            sum += each;
        }
        return new Measure(batch.rows(), sum, loss, null);
    }

    static double[] bins() {
        return new double[2 * BINS];
    }

    /** Counts a row: bins are of equal width in the probability's logit, clipped at 16. */
    static void count(double[] labels, float margin, float label, float importance) {
        int bin = (int) ((Math.max(-16, Math.min(16, margin)) + 16) * (BINS / 32f));
        labels[2 * Math.min(bin, BINS - 1) + (label > 0 ? 1 : 0)] += importance;
    }

    Measure plus(Measure other) {
        double[] sum = labels == null ? other.labels : labels.clone();
        if (sum != null && labels != null && other.labels != null) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += other.labels[i];
            }
        }
        return new Measure(rows + other.rows, importance + other.importance, loss + other.loss, sum);
    }

    double meanLoss() {
        return importance == 0 ? Double.NaN : loss / importance;
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
            pairs += labels[i + 1] * (zeros + labels[i] / 2);
            zeros += labels[i];
            ones += labels[i + 1];
        }
        return pairs / (zeros * ones);
    }
}
