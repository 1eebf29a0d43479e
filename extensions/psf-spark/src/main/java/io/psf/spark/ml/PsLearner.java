package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.StructType;

/** An estimator whose weights are on the servers: what it passes to {@link Fitting}. */
abstract class PsLearner<E extends PsLearner<E, M>, M extends PsScorer<M>> extends LearnerParams<E, M> {
    @Serial
    private static final long serialVersionUID = 1;

    PsLearner(String uid) {
        super(uid);
    }

    /** Returns the model's arithmetic. */
    abstract Kernel kernel();

    /** Returns the optimizers of a training on rows that count so often in all. */
    abstract Fitting.Rules rules(double rows);

    /** Returns a model without params. */
    abstract M model(Weights weights);

    /** Checks params that depend on each other. */
    void checkParams() {}

    /** Trains a model. Blocks until it is trained. */
    @Override
    public M fit(Dataset<?> data) {
        transformSchema(data.schema());
        Input input = Fitting.sized(scoring().input(this), data);
        Fitting fitting = new Fitting(
                uid(),
                new TrainingRows(
                        input,
                        new TrainingRows.Labels(
                                getLabelCol(),
                                getWeightCol(),
                                getValidationIndicatorCol(),
                                kernel().loss() == Loss.LOGISTIC),
                        getNumPartitions(),
                        getBatchSize(),
                        getSeed()),
                kernel(),
                getFitIntercept(),
                new Training.Schedule(
                        getMaxIter(), !getValidationIndicatorCol().isEmpty(), getTol(), getPatience(), getSeed()),
                EpochLoop.saves(this, checkpoints(), data.sparkSession()));
        Fitting.Trained trained = fitting.run(data, this::rules);
        M model = model(trained.weights());
        model.setSummary(trained.summary());
        copyValues(model, ParamMap.empty());
        model.set(model.numFeatures(), input.numFeatures());
        model.setParent(this);
        if (!getExportWeights()) {
            return model;
        }
        try {
            return model.exported();
        } finally {
            model.release();
        }
    }

    @Override
    public StructType transformSchema(StructType schema) {
        checkParams();
        scoring().input(this).check(schema);
        Input.checkNumeric(schema, "label", getLabelCol());
        if (!getWeightCol().isEmpty()) {
            Input.checkNumeric(schema, "weight", getWeightCol());
        }
        if (!getValidationIndicatorCol().isEmpty()) {
            Input.checkBoolean(schema, "validation", getValidationIndicatorCol());
        }
        return scoring().output(this, kernel().loss()).append(schema);
    }

    @Override
    @SuppressWarnings("unchecked") // defaultCopy makes one of this class
    public E copy(ParamMap extra) {
        return (E) defaultCopy(extra);
    }
}
