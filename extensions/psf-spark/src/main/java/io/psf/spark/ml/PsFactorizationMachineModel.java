package io.psf.spark.ml;

import java.io.Serial;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.MLReader;

/**
 * A model of {@link PsFactorizationMachine}. Its weights are on the servers, from which {@link #transform} pulls the
 * weights that it needs, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that
 * was loaded.
 *
 * <pre>{@code
 * PsFactorizationMachineModel local = model.exported();
 * model.release();
 * local.transform(rows).select("prediction");
 * }</pre>
 */
public final class PsFactorizationMachineModel extends PsScorer<PsFactorizationMachineModel> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> lossType;

    PsFactorizationMachineModel(String uid, Weights weights, AtomicBoolean isReleased) {
        super(uid, weights, isReleased);
        this.lossType = PsFactorizationMachine.lossType(this);
    }

    /** Returns the param of the loss that the model was trained for. */
    public Param<String> lossType() {
        return lossType;
    }

    @Override
    Loss loss() {
        return Loss.of(getOrDefault(lossType));
    }

    @Override
    PsFactorizationMachineModel with(Weights weights, AtomicBoolean isReleased) {
        return new PsFactorizationMachineModel(uid(), weights, isReleased);
    }

    /** Returns a reader of models. */
    public static MLReader<PsFactorizationMachineModel> read() {
        return new ModelFiles.Reader<>(
                PsFactorizationMachineModel.class,
                (uid, weights) -> new PsFactorizationMachineModel(uid, weights, new AtomicBoolean()));
    }

    /** Reads a model that was saved. It has its weights itself. */
    public static PsFactorizationMachineModel load(String path) {
        return read().load(path);
    }
}
