package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;

/**
 * A model of {@link PsLogisticRegression}. Its weights are on the servers, from which {@link #transform} pulls the
 * weights that it needs, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that
 * was loaded, unless {@link PsModelReader#onServers} loads it.
 *
 * <pre>{@code
 * PsLogisticRegressionModel local = model.exported();
 * model.release();
 * local.transform(rows).select("probability");
 * }</pre>
 */
public final class PsLogisticRegressionModel extends PsScorer<PsLogisticRegressionModel> {
    @Serial
    private static final long serialVersionUID = 1;

    PsLogisticRegressionModel(String uid, Weights weights) {
        super(uid, weights);
    }

    @Override
    Loss loss() {
        return Loss.LOGISTIC;
    }

    @Override
    PsLogisticRegressionModel with(Weights weights) {
        return new PsLogisticRegressionModel(uid(), weights);
    }

    /**
     * Returns the weights of the features as a vector in the driver, dense or sparse, whichever is smaller. {@link
     * #getWeights} returns weights by key, of any number.
     *
     * @throws IllegalStateException if {@code numFeatures} is 0, since keys may be any, or more than a vector has
     */
    public Vector coefficients() {
        long size = getNumFeatures();
        if (size < 1 || size > Integer.MAX_VALUE) {
            throw new IllegalStateException(uid() + ": numFeatures: " + size + " (expected: 1 to " + Integer.MAX_VALUE
                    + " for a vector; getWeights() has weights by key)");
        }
        LocalWeights all = local();
        int[] indices = Arrays.stream(all.keys()).mapToInt(Math::toIntExact).toArray();
        double[] values = new double[indices.length];
        Arrays.setAll(values, i -> all.rows()[i]);
        return Vectors.sparse((int) size, indices, values).compressed();
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsLogisticRegressionModel> read() {
        return new PsModelReader<>(PsLogisticRegressionModel.class, PsLogisticRegressionModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsLogisticRegressionModel load(String path) {
        return read().load(path);
    }
}
