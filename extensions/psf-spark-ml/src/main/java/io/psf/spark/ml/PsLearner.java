package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import org.apache.spark.ml.attribute.Attribute;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructField;
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

    /** Returns the model's arithmetic, for labels of so many classes. */
    abstract Kernel kernel(int classes);

    /** Returns the optimizers of a training on rows that count so often in all. */
    abstract Fitting.Rules rules(double rows);

    /** Returns a model without params. */
    abstract M model(Weights weights);

    /** Returns the column of the label. */
    abstract String label();

    /** Returns what messages call the labels. */
    String labelRole() {
        return "label";
    }

    /** Returns the columns of the features of rows that {@link #prepared} has returned. */
    abstract Input input(Dataset<Row> rows);

    /** Checks the columns of the features. */
    abstract void checkFeatures(StructType schema);

    /** Returns the rows with the columns of their features. */
    Dataset<Row> prepared(Dataset<?> data) {
        return data.toDF();
    }

    /** Returns the labels that rows may have. */
    LabelKind labels() {
        return kernel(2).loss().labels();
    }

    /** Tells a model the number of features; 0 for any. */
    void setSize(M model, long numFeatures) {}

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
        require("factors", factors(weights.kernel()), factors(kernel(2)));
        require(
                "layers",
                Arrays.toString(weights.kernel().layers()),
                Arrays.toString(kernel(2).layers()));
        if (numFeatures > 0) {
            require("numFeatures", model.input().numFeatures(), numFeatures);
        }
        for (float bias : weights.bias()) {
            if (!getFitIntercept() && bias != 0) {
                throw new IllegalArgumentException(
                        "intercept of the initial model: " + bias + " (expected: 0, since fitIntercept is false)");
            }
        }
        return weights;
    }

    private static int factors(Kernel kernel) {
        return kernel.width() - kernel.outputs();
    }

    private static <T> void require(String what, T found, T expected) {
        if (!found.equals(expected)) {
            throw new IllegalArgumentException(
                    what + " of the initial model: " + found + " (expected: " + expected + ", as of this estimator)");
        }
    }

    /**
     * Returns the model's arithmetic.
     *
     * @param found the classes of the rows; the column, or an initial model, may know of more
     */
    private Kernel kernel(StructType schema, @Nullable Weights initial, int found) {
        int outputs = initial == null ? 1 : initial.kernel().outputs();
        Kernel kernel = kernel(Math.max(outputs, Math.max(namedClasses(schema.apply(label())), found)));
        if (initial != null) {
            require("classes", Math.max(2, outputs), Math.max(2, kernel.outputs()));
        }
        return kernel;
    }

    /** Returns the number of classes that a column of labels knows of, as StringIndexer says; 0 for none. */
    private static int namedClasses(StructField label) {
        return label.dataType() instanceof NumericType
                        && Attribute.fromStructField(label) instanceof NominalAttribute names
                        && names.getNumValues().isDefined()
                ? (Integer) names.getNumValues().get()
                : 0;
    }

    /** Trains a model. Blocks until it is trained. */
    @Override
    public M fit(Dataset<?> data) {
        transformSchema(data.schema());
        Dataset<Row> rows = prepared(data);
        Input input = input(rows);
        Fitting.Trained trained = train(
                rows, input, initial(input.numFeatures()), EpochLoop.saves(this, checkpoints(), data.sparkSession()));
        M model = model(trained.weights());
        model.setSummary(trained.summary());
        copyValues(model, ParamMap.empty());
        setSize(model, input.numFeatures());
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

    /**
     * Trains on rows that {@link #prepared} has returned.
     *
     * @param initial the weights with which the training begins; null for those of the kernel
     * @param saves true if each epoch ends with a checkpoint
     */
    Fitting.Trained train(Dataset<Row> rows, Input input, @Nullable Weights initial, boolean saves) {
        Fitting fitting = new Fitting(
                uid(),
                new TrainingRows(
                        input,
                        new TrainingRows.Labels(
                                labelRole(), label(), getWeightCol(), getValidationIndicatorCol(), labels()),
                        getNumPartitions(),
                        getBatchSize(),
                        getSeed()),
                getFitIntercept(),
                initial,
                new Training.Schedule(
                        getMaxIter(), !getValidationIndicatorCol().isEmpty(), getTol(), getPatience(), getSeed()),
                saves);
        return fitting.run(rows, classes -> kernel(rows.schema(), initial, classes), this::rules);
    }

    @Override
    public StructType transformSchema(StructType schema) {
        checkParams();
        checkFeatures(schema);
        Input.checkNumeric(schema, labelRole(), label());
        if (!getWeightCol().isEmpty()) {
            Input.checkNumeric(schema, "weight", getWeightCol());
        }
        if (!getValidationIndicatorCol().isEmpty()) {
            Input.checkBoolean(schema, "validation", getValidationIndicatorCol());
        }
        return scoring().output(kernel(2).loss()).append(schema);
    }

    @Override
    public E copy(ParamMap extra) {
        E copy = defaultCopy(extra);
        PsLearner<E, M> learner = copy;
        learner.initialModel = initialModel;
        return copy;
    }
}
