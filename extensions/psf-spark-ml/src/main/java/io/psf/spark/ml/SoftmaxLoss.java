package io.psf.spark.ml;

import java.io.Serial;

/**
 * The logistic loss of more classes than two, with a margin for each.
 *
 * @param classes the number of classes
 */
record SoftmaxLoss(int classes) implements ClassLoss {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public LabelKind labels() {
        return LabelKind.CLASSES;
    }

    @Override
    public int outputs() {
        return classes;
    }

    @Override
    public double learn(float[] margins, int at, float label, float[] gradient) {
        double[] probabilities = probabilities(margins, at);
        int own = (int) label;
        for (int i = 0; i < classes; i++) {
            gradient[i] = (float) (probabilities[i] - (i == own ? 1 : 0));
        }
        return -Math.log(Math.max(Double.MIN_NORMAL, probabilities[own]));
    }

    @Override
    public double predict(float[] margins, int at, double threshold) {
        int best = 0;
        for (int i = 1; i < classes; i++) {
            best = margins[at + i] > margins[at + best] ? i : best;
        }
        return best;
    }

    @Override
    public double[] raw(float[] margins, int at) {
        double[] raw = new double[classes];
        for (int i = 0; i < classes; i++) {
            raw[i] = margins[at + i];
        }
        return raw;
    }

    @Override
    public double[] probabilities(float[] margins, int at) {
        double most = margins[at + (int) predict(margins, at, 0)];
        double[] probabilities = raw(margins, at);
        double sum = 0;
        for (int i = 0; i < classes; i++) {
            probabilities[i] = Math.exp(probabilities[i] - most);
            sum += probabilities[i];
        }
        for (int i = 0; i < classes; i++) {
            probabilities[i] /= sum;
        }
        return probabilities;
    }
}
