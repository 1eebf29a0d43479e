package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * A linear support vector machine for labels of 0 or 1, as Spark's LinearSVC, for more features than a driver holds: the
 * hinge loss. Input, validation, solvers and regularization are as in {@link PsLogisticRegression}.
 *
 * <pre>{@code
 * PsLinearSVCModel model = new PsLinearSVC().setKeysCol("keys").setRegParam(1e-4).fit(messages);
 * }</pre>
 *
 * <p>The prediction is 1 where the margin is above 0. There are no probabilities.
 */
public final class PsLinearSVC extends PsLinearLearner<PsLinearSVC, PsLinearSVCModel>
        implements PsClassifierParams<PsLinearSVC> {
    @Serial
    private static final long serialVersionUID = 1;

    /** Creates an estimator. */
    public PsLinearSVC() {
        this(Identifiable$.MODULE$.randomUID("psSvc"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsLinearSVC(String uid) {
        super(uid);
    }

    @Override
    Loss loss(int classes) {
        return BinaryLoss.HINGE;
    }

    @Override
    PsLinearSVCModel model(Weights weights) {
        return new PsLinearSVCModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsLinearSVC> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsLinearSVC load(String path) {
        return read().load(path);
    }
}
