package io.psf.spark.ml;

import java.io.Serial;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.ml.util.MLReader;

/**
 * A model of {@link PsLogisticRegression}. Its weights are on the servers, from which {@link #transform} pulls the
 * weights that it needs, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that
 * was loaded.
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

    PsLogisticRegressionModel(String uid, Weights weights, AtomicBoolean isReleased) {
        super(uid, weights, isReleased);
    }

    @Override
    Loss loss() {
        return Loss.LOGISTIC;
    }

    @Override
    PsLogisticRegressionModel with(Weights weights, AtomicBoolean isReleased) {
        return new PsLogisticRegressionModel(uid(), weights, isReleased);
    }

    /** Returns a reader of models. */
    public static MLReader<PsLogisticRegressionModel> read() {
        return new ModelFiles.Reader<>(
                PsLogisticRegressionModel.class,
                (uid, weights) -> new PsLogisticRegressionModel(uid, weights, new AtomicBoolean()));
    }

    /** Reads a model that was saved. It has its weights itself. */
    public static PsLogisticRegressionModel load(String path) {
        return read().load(path);
    }
}
