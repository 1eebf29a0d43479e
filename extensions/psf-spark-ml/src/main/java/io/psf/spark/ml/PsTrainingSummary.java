package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/**
 * How the epochs of a training went.
 *
 * @param objectiveHistory the mean losses of the rows of training, each before its batch is learned
 * @param validationHistory the mean losses of the rows of validation after each epoch; empty if there are none
 * @param areaHistory the areas under the ROC curve of the rows of validation after each epoch; empty if there are none,
 *     or the labels are not 0 and 1
 */
public record PsTrainingSummary(List<Double> objectiveHistory, List<Double> validationHistory, List<Double> areaHistory)
        implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** Returns the number of epochs. */
    public int totalIterations() {
        return objectiveHistory.size();
    }
}
