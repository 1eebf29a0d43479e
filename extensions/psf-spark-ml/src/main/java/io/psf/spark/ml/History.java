package io.psf.spark.ml;

import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** The losses of each epoch, from epoch 1 on. A repeated epoch replaces its losses. Not thread-safe. */
final class History {
    private final double[] losses;
    private final double[] validation;
    private final double[] areas;

    History(int epochs) {
        losses = new double[epochs];
        validation = new double[epochs];
        areas = new double[epochs];
    }

    /**
     * Sets what an epoch brings.
     *
     * @param learned of the rows of training
     * @param validated of the rows of validation; null if there are none
     */
    void set(int epoch, Measure learned, @Nullable Measure validated) {
        losses[epoch - 1] = learned.meanLoss();
        validation[epoch - 1] = validated == null ? Double.NaN : validated.meanLoss();
        areas[epoch - 1] = validated == null ? Double.NaN : validated.auc();
    }

    /** Returns the number of epochs in a row, up to one, that did not lower the loss of validation by {@code tol}. */
    int withoutProgress(int last, double tol) {
        double best = Double.POSITIVE_INFINITY;
        int without = 0;
        for (int epoch = 0; epoch < last; epoch++) {
            without = validation[epoch] < best - tol ? 0 : without + 1;
            best = Math.min(best, validation[epoch]);
        }
        return without;
    }

    /**
     * Returns the history of the epochs up to one.
     *
     * @param validates false if there are no rows of validation
     * @param hasAreas false if their labels are not 0 and 1
     */
    PsTrainingSummary until(int last, boolean validates, boolean hasAreas) {
        return new PsTrainingSummary(
                first(losses, last),
                first(validation, validates ? last : 0),
                first(areas, validates && hasAreas ? last : 0));
    }

    private static List<Double> first(double[] values, int n) {
        return DoubleStream.of(values).limit(n).boxed().toList();
    }
}
