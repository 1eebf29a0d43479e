package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * A model of {@link PsDeepFM}. Its weights are on the servers, from which {@link #transform} pulls those that it needs
 * and the network, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that was
 * loaded, unless {@link PsModelReader#onServers} loads it.
 */
public final class PsDeepFMModel extends PsScorer<PsDeepFMModel>
        implements PsFieldParams<PsDeepFMModel>, PsProbabilityParams<PsDeepFMModel> {
    @Serial
    private static final long serialVersionUID = 1;

    PsDeepFMModel(String uid, Weights weights) {
        super(uid, weights);
    }

    @Override
    Loss trainedLoss() {
        return BinaryLoss.LOGISTIC;
    }

    @Override
    Input input() {
        return Fields.input();
    }

    @Override
    void checkFeatures(StructType schema) {
        Fields.check(getInputCols(), schema);
    }

    @Override
    Dataset<Row> prepared(Dataset<?> data) {
        return Fields.withKeys(getInputCols(), data);
    }

    /** Returns a frame with the predictions. */
    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        return super.transform(data).drop(Fields.KEYS);
    }

    @Override
    PsDeepFMModel with(Weights weights) {
        return new PsDeepFMModel(uid(), weights);
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsDeepFMModel> read() {
        return new PsModelReader<>(PsDeepFMModel.class, PsDeepFMModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsDeepFMModel load(String path) {
        return read().load(path);
    }
}
