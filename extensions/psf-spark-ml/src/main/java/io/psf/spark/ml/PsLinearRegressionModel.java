package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.Param;

/**
 * A model of {@link PsLinearRegression}. Its weights are on the servers, from which {@link #transform} pulls the weights that it needs,
 * until {@link #release} frees them. {@link #exported} has them itself, and so does a model that was loaded, unless
 * {@link PsModelReader#onServers} loads it.
 */
public final class PsLinearRegressionModel extends PsLinearScorer<PsLinearRegressionModel> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> loss;

    PsLinearRegressionModel(String uid, Weights weights) {
        super(uid, weights);
        this.loss = PsLinearRegression.loss(this);
    }

    /** Returns the param of the loss that the model was trained for. */
    public Param<String> loss() {
        return loss;
    }

    /** Returns the loss that the model was trained for. */
    public String getLoss() {
        return getOrDefault(loss());
    }

    @Override
    Loss trainedLoss() {
        return PsLinearRegression.loss(getLoss(), 1);
    }

    @Override
    PsLinearRegressionModel with(Weights weights) {
        return new PsLinearRegressionModel(uid(), weights);
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsLinearRegressionModel> read() {
        return new PsModelReader<>(PsLinearRegressionModel.class, PsLinearRegressionModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsLinearRegressionModel load(String path) {
        return read().load(path);
    }
}
