package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;

/** A linear model. */
abstract class PsLinearScorer<M extends PsLinearScorer<M>> extends PsFeatureScorer<M> {
    @Serial
    private static final long serialVersionUID = 1;

    PsLinearScorer(String uid, Weights weights) {
        super(uid, weights);
    }

    /**
     * Returns the weights of the features as a vector in the driver, dense or sparse, whichever is smaller. {@link
     * #getWeights} returns weights by key, of any number.
     *
     * @throws IllegalStateException if {@code numFeatures} is 0, since keys may be any, or more than a vector has; or if
     *     each feature has several weights
     */
    public Vector coefficients() {
        int size = vectorSize(1);
        LocalWeights all = local();
        if (all.bias().length > 1) {
            throw new IllegalStateException(uid() + ": weights of a feature: " + all.bias().length
                    + " (expected: one; coefficientMatrix() has all)");
        }
        double[] values = new double[all.keys().length];
        Arrays.setAll(values, i -> all.rows()[i]);
        return Vectors.sparse(size, indices(all), values).compressed();
    }

    static int[] indices(LocalWeights weights) {
        return Arrays.stream(weights.keys()).mapToInt(Math::toIntExact).toArray();
    }

    /** Returns the number of features, of which each has {@code width} of at most as many floats as an array has. */
    final int vectorSize(int width) {
        long size = getNumFeatures();
        int most = Integer.MAX_VALUE / width;
        if (size < 1 || size > most) {
            throw new IllegalStateException(uid() + ": numFeatures: " + size + " (expected: 1 to " + most
                    + " for a vector; getWeights() has weights by key)");
        }
        return (int) size;
    }
}
