package io.psf.examples;

/** The mean of a worker's losses since the last time that it was taken. */
public final class MeanLoss {
    private double sum;
    private int count;

    /** Adds the loss of a batch. */
    public void add(double loss) {
        sum += loss;
        count++;
    }

    /** Returns the mean, and begins again; NaN if no loss was added. */
    public double take() {
        double mean = sum / count;
        sum = 0;
        count = 0;
        return mean;
    }
}
