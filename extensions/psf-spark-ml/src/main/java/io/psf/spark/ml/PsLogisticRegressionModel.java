package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import org.apache.spark.ml.linalg.Matrices;
import org.apache.spark.ml.linalg.Matrix;
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
public final class PsLogisticRegressionModel extends PsLinearScorer<PsLogisticRegressionModel>
        implements PsProbabilityParams<PsLogisticRegressionModel> {
    @Serial
    private static final long serialVersionUID = 1;

    PsLogisticRegressionModel(String uid, Weights weights) {
        super(uid, weights);
    }

    @Override
    Loss trainedLoss() {
        return kernel().outputs() == 1 ? BinaryLoss.LOGISTIC : new SoftmaxLoss(kernel().outputs());
    }

    @Override
    PsLogisticRegressionModel with(Weights weights) {
        return new PsLogisticRegressionModel(uid(), weights);
    }

    /** Returns the number of classes. */
    public int numClasses() {
        return Math.max(2, kernel().outputs());
    }

    /**
     * Returns the weights as a matrix in the driver: a row for each class, or one row for two classes of the family
     * binomial; a column for each feature.
     *
     * @throws IllegalStateException if {@code numFeatures} is 0, since keys may be any, or more than a matrix has
     */
    public Matrix coefficientMatrix() {
        int width = kernel().outputs();
        int size = vectorSize(width);
        LocalWeights all = local();
        int[] indices = indices(all);
        double[] values = new double[size * width];
        for (int i = 0; i < all.rows().length; i++) {
            values[indices[i / width] * width + i % width] = all.rows()[i];
        }
        return Matrices.dense(width, size, values);
    }

    /** Returns the weights that all rows have in common, one for each row of the matrix. */
    public Vector interceptVector() {
        float[] bias = requireWeights().bias();
        double[] all = new double[bias.length];
        Arrays.setAll(all, i -> bias[i]);
        return Vectors.dense(all);
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
