package io.psf.spark.ml;

import java.io.Serializable;
import java.util.Arrays;

/** The arithmetic of a model whose weights are rows of a table, and a bias. */
interface Kernel extends Serializable {
    /** Returns the number of floats of a row. */
    int width();

    /** Returns the loss of a row's margins. */
    Loss loss();

    /** Returns the number of margins of a row. */
    default int outputs() {
        return loss().outputs();
    }

    /** Returns the number of floats that all rows have in common: biases, one for each margin, and others after them. */
    default int shared() {
        return outputs();
    }

    /** Returns what all rows have in common at the begin of a training, [shared] float32. */
    default float[] begin() {
        return new float[shared()];
    }

    /** Returns the sizes of the layers of the model's network; empty for none. */
    default int[] layers() {
        return new int[0];
    }

    /**
     * Adds what the servers do not store to rows as they are stored. A key is known if a push has changed its row; the
     * values of others are the initial ones in training, and 0 in scoring.
     *
     * @param weights [keys, width] float32, changed
     * @param isScoring true if rows of unknown keys are 0
     */
    void complete(long[] keys, int n, float[] weights, boolean isScoring);

    /**
     * Computes the gradients of a batch, summed over its rows, each as often as it counts.
     *
     * @param weights [distinct, width] float32
     * @param bias [shared] float32
     * @param update [distinct, width] float32, filled
     * @param sums receives the losses and the gradient of the bias
     */
    void learn(Batch batch, float[] weights, float[] bias, float[] update, Sums sums);

    /**
     * Computes the margins of a batch's rows.
     *
     * @param bias [shared] float32
     * @param margins [rows, outputs] float32, filled
     */
    void margins(Batch batch, float[] weights, float[] bias, float[] margins);

    /**
     * Returns the margins of a batch's rows, [rows, outputs] float32.
     *
     * @param needsAll true if a row with a key that has no weights has no margins: NaN
     */
    default float[] margins(Batch batch, float[] weights, float[] bias, boolean needsAll) {
        int outputs = outputs();
        float[] margins = new float[batch.rows() * outputs];
        margins(batch, weights, bias, margins);
        int entry = 0;
        for (int row = 0; needsAll && row < batch.rows(); row++) {
            for (; entry < batch.ends()[row]; entry++) {
                if (Fetched.isZero(weights, batch.slots()[entry] * width(), width())) {
                    Arrays.fill(margins, row * outputs, (row + 1) * outputs, Float.NaN);
                }
            }
        }
        return margins;
    }

    /** Sums over the rows of a batch, which {@link #learn} adds to. */
    final class Sums {
        double loss;
        final double[] bias;

        Sums(int shared) {
            bias = new double[shared];
        }
    }
}
