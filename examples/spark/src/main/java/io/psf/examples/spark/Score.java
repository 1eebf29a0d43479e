package io.psf.examples.spark;

import java.util.Arrays;

/**
 * The quality of predictions.
 *
 * @param area under the ROC curve
 * @param loss the mean log loss
 */
record Score(double area, double loss) {
    /** Keeps the logarithm finite. */
    private static final double LEAST = 1e-15;

    /**
     * Compares predictions and labels.
     *
     * @param probabilities of the label 1
     * @param labels 0 or 1
     */
    static Score of(double[] probabilities, double[] labels) {
        double loss = 0;
        double[] ones = new double[(int) Arrays.stream(labels).sum()];
        double[] zeros = new double[labels.length - ones.length];
        int one = 0;
        for (int i = 0; i < labels.length; i++) {
            boolean isOne = labels[i] == 1;
            loss -= Math.log(Math.max(LEAST, isOne ? probabilities[i] : 1 - probabilities[i]));
            if (isOne) {
                ones[one++] = probabilities[i];
            } else {
                zeros[i - one] = probabilities[i];
            }
        }
        return new Score(area(ones, zeros), loss / labels.length);
    }

    /** Returns the share of pairs of a one and a zero whose one is above; an equal pair is half a pair. */
    private static double area(double[] ones, double[] zeros) {
        Arrays.sort(ones);
        Arrays.sort(zeros);
        double pairs = 0;
        int below = 0;
        int notAbove = 0;
        for (double one : ones) {
            while (below < zeros.length && zeros[below] < one) {
                below++;
            }
            while (notAbove < zeros.length && zeros[notAbove] <= one) {
                notAbove++;
            }
            pairs += (below + notAbove) / 2.0;
        }
        return pairs / ones.length / zeros.length;
    }
}
