package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.Param;

/**
 * A model of {@link PsFactorizationMachine}. Its weights are on the servers, from which {@link #transform} pulls the
 * weights that it needs, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that
 * was loaded, unless {@link PsModelReader#onServers} loads it.
 *
 * <pre>{@code
 * PsFactorizationMachineModel local = model.exported();
 * model.release();
 * local.transform(rows).select("prediction");
 * }</pre>
 */
public final class PsFactorizationMachineModel extends PsFeatureScorer<PsFactorizationMachineModel>
        implements PsProbabilityParams<PsFactorizationMachineModel> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> lossType;

    PsFactorizationMachineModel(String uid, Weights weights) {
        super(uid, weights);
        this.lossType = PsFactorizationMachine.lossType(this);
    }

    /** Returns the param of the loss that the model was trained for. */
    public Param<String> lossType() {
        return lossType;
    }

    /** Returns the loss that the model was trained for. */
    public String getLossType() {
        return getOrDefault(lossType());
    }

    @Override
    Loss trainedLoss() {
        return PsFactorizationMachine.loss(getLossType());
    }

    @Override
    PsFactorizationMachineModel with(Weights weights) {
        return new PsFactorizationMachineModel(uid(), weights);
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsFactorizationMachineModel> read() {
        return new PsModelReader<>(PsFactorizationMachineModel.class, PsFactorizationMachineModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsFactorizationMachineModel load(String path) {
        return read().load(path);
    }
}
