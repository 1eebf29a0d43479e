package io.psf.examples.spark;

import java.util.Locale;

/**
 * What a training took, and what its model is worth on other rows.
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
