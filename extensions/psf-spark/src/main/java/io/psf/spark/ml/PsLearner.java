package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** An estimator whose weights are on the servers. {@link Fitting} trains them. */
abstract class PsLearner<E extends PsLearner<E, M>, M extends PsScorer<M>> extends LearnerParams<E, M> {
    @Serial
    private static final long serialVersionUID = 1;

    private transient @Nullable M initialModel;

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

    /**
     * Lets a fit begin with the weights of a model, such as that of the rows until yesterday: on the servers, exported,
     * or loaded. The model itself does not change. The learning rates of the optimizer begin anew, so that a smaller
     * {@code stepSize} keeps more of the model. A saved estimator does not have it.
     */
    public E setInitialModel(M model) {
        initialModel = model;
        return self();
    }

    /** Returns the weights with which a fit begins; null for none. */
    private @Nullable Weights initial(long numFeatures) {
        M model = initialModel;
        if (model == null) {
            return null;
        }
        Weights weights = model.requireWeights();
        require("factors", weights.kernel().width() - 1, kernel().width() - 1);
        if (numFeatures > 0) {
            require("numFeatures", model.getNumFeatures(), numFeatures);
        }
        if (!getFitIntercept() && weights.bias() != 0) {
            throw new IllegalArgumentException("intercept of the initial model: " + weights.bias()
                    + " (expected: 0, since fitIntercept is false)");
        }
        return weights;
    }

    private static void require(String what, long found, long expected) {
        if (found != expected) {
            throw new IllegalArgumentException(
                    what + " of the initial model: " + found + " (expected: " + expected + ", as of this estimator)");
        }
    }

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
                initial(input.numFeatures()),
                new Training.Schedule(
                        getMaxIter(), !getValidationIndicatorCol().isEmpty(), getTol(), getPatience(), getSeed()),
                EpochLoop.saves(this, checkpoints(), data.sparkSession()));
        Fitting.Trained trained = fitting.run(data, this::rules);
        M model = model(trained.weights());
        model.setSummary(trained.summary());
        copyValues(model, ParamMap.empty());
        model.set(model.numFeatures(), input.numFeatures());
        model.setParent(defaultCopy(ParamMap.empty())); // without the initial model, which would be kept
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
    public E copy(ParamMap extra) {
        E copy = defaultCopy(extra);
        PsLearner<E, M> learner = copy;
        learner.initialModel = initialModel;
        return copy;
    }
}
