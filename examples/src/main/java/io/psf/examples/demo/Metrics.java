package io.psf.examples.demo;

import java.util.stream.IntStream;

/** Metrics of predictions. */
public final class Metrics {
    private static final double SMALLEST = 1e-7;

    private Metrics() {}

    /**
     * Returns the area under the ROC curve: the probability that a positive example is ranked above a negative one. A
     * tie counts one half (Mann and Whitney, by ranks).
     *
     * @param predictions [n] float32, higher means more likely
     * @param labels [n] float32, 0 or 1, at least one of each
     */
    public static double auc(float[] predictions, float[] labels) {
        int n = predictions.length;
        int[] order = IntStream.range(0, n)
                .boxed()
                .sorted((a, b) -> Float.compare(predictions[a], predictions[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        double ranks = 0;
        double positives = 0;
        for (int i = 0; i < n; ) {
            int end = i + 1;
            while (end < n && predictions[order[end]] == predictions[order[i]]) {
                end++;
            }
            double rank = (i + 1 + end) / 2.0; // the mean of the ranks i + 1 to end
            for (; i < end; i++) {
                ranks += labels[order[i]] * rank;
                positives += labels[order[i]];
            }
        }
        double negatives = n - positives;
        if (positives == 0 || negatives == 0) {
            throw new IllegalArgumentException("positives: " + positives + " of " + n + " (expected: some, not all)");
        }
        return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
    }

    /**
     * Returns the mean log loss: the mean of -log of the predicted probability of the actual label.
     *
     * @param predictions [n] float32, probabilities of label 1
     * @param labels [n] float32, 0 or 1
     */
    public static double logLoss(float[] predictions, float[] labels) {
        double sum = 0;
        for (int i = 0; i < labels.length; i++) {
            double p = Math.min(1 - SMALLEST, Math.max(SMALLEST, predictions[i]));
            sum -= labels[i] * Math.log(p) + (1 - labels[i]) * Math.log(1 - p);
        }
        return sum / labels.length;
    }
}
