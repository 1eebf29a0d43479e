package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.io.Serializable;

/**
 * The rows of a fit, and how often they count.
 *
 * @param label the greatest label
 */
@DefaultSerializer(JavaSerializer.class)
record RowCounts(Measure training, Measure validation, float label) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    static final RowCounts NONE = new RowCounts(Measure.NONE, Measure.NONE, 0);

    static RowCounts of(TrainingRows.TaggedBatch tagged) {
        Measure rows = Measure.of(tagged.batch(), 0);
        float greatest = 0;
        for (float label : tagged.batch().labels()) {
            greatest = Math.max(greatest, label);
        }
        return tagged.isValidation()
                ? new RowCounts(Measure.NONE, rows, greatest)
                : new RowCounts(rows, Measure.NONE, greatest);
    }

    RowCounts plus(RowCounts other) {
        return new RowCounts(
                training.plus(other.training), validation.plus(other.validation), Math.max(label, other.label));
    }

    /** Returns the number of classes, if labels are classes. */
    int classes() {
        return (int) label + 1;
    }

    /**
     * Checks that there are rows which count.
     *
     * @param validates true if there have to be rows of validation
     */
    void check(boolean validates) {
        check(training, "rows of training");
        if (validates) {
            check(validation, "rows of validation");
        }
    }

    private static void check(Measure all, String what) {
        if (all.rows() == 0) {
            throw new IllegalArgumentException(what + ": 0 (expected: at least 1)");
        }
        if (all.importance() == 0) {
            throw new IllegalArgumentException("weights of the " + what + ": 0 in all (expected: above 0)");
        }
    }
}
