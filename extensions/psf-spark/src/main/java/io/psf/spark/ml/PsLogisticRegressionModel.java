package io.psf.spark.ml;

import java.io.Serial;

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

    /** Returns a reader of models. */
    public static PsModelReader<PsLogisticRegressionModel> read() {
        return new PsModelReader<>(PsLogisticRegressionModel.class, PsLogisticRegressionModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsLogisticRegressionModel load(String path) {
        return read().load(path);
    }
}
