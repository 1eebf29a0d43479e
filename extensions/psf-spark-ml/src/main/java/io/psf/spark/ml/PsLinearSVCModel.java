package io.psf.spark.ml;

import java.io.Serial;

/**
 * A model of {@link PsLinearSVC}. Its weights are on the servers, from which {@link #transform} pulls the weights that it needs,
 * until {@link #release} frees them. {@link #exported} has them itself, and so does a model that was loaded, unless
 * {@link PsModelReader#onServers} loads it.
 */
public final class PsLinearSVCModel extends PsLinearScorer<PsLinearSVCModel>
        implements PsClassifierParams<PsLinearSVCModel> {
    @Serial
    private static final long serialVersionUID = 1;

    PsLinearSVCModel(String uid, Weights weights) {
        super(uid, weights);
    }

    @Override
    Loss trainedLoss() {
        return BinaryLoss.HINGE;
    }

    @Override
    PsLinearSVCModel with(Weights weights) {
        return new PsLinearSVCModel(uid(), weights);
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsLinearSVCModel> read() {
        return new PsModelReader<>(PsLinearSVCModel.class, PsLinearSVCModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsLinearSVCModel load(String path) {
        return read().load(path);
    }
}
