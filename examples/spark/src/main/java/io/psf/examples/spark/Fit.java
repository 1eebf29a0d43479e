package io.psf.examples.spark;

import java.util.Locale;

/**
 * The time of a training, and the quality of its model on other rows.
 *
 * @param passes over the rows
 * @param seconds of the training
 */
record Fit(int passes, double seconds, Score score) {
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%d passes: %.1f s, AUC %.4f, log loss %.4f", passes, seconds, score.area(), score.loss());
    }
}
