package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.StructType;

/** An estimator whose weights are on the servers: its params, and what it passes to {@link Fitting}. */
abstract class PsLearner<E extends PsLearner<E, M>, M extends PsScorer<M>> extends Estimator<M>
        implements PsScoringParams<E>, DefaultParamsWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Declared scoring;
    private final LearningParams learning;

    PsLearner(String uid) {
        this.uid = uid;
        this.scoring = new Declared(this);
        this.learning = new LearningParams(this);
        scoring.setDefaults(this);
        learning.setDefaults(this, getClass().getName().hashCode());
    }

    /** Returns the model's arithmetic. */
    abstract Kernel kernel();

    /** Returns the optimizers of a training on that many rows. */
    abstract Fitting.Rules rules(long rows);

    /** Returns a model without params. */
    abstract M model(Weights weights);

    /** Checks params that depend on each other. */
    void checkParams() {}

    @Override
    public String uid() {
        return uid;
    }

    @Override
    public Declared scoring() {
        return scoring;
    }

    final double number(DoubleParam param) {
        return (Double) getOrDefault(param);
    }

    final int number(IntParam param) {
        return (Integer) getOrDefault(param);
    }

    final long number(LongParam param) {
        return (Long) getOrDefault(param);
    }

    final boolean isTrue(BooleanParam param) {
        return (Boolean) getOrDefault(param);
    }

    /** Trains a model. Blocks until it is trained. */
    @Override
    public M fit(Dataset<?> data) {
        transformSchema(data.schema());
        Input input = Fitting.sized(scoring.input(this), data);
        Fitting fitting = new Fitting(
                uid,
                new TrainingRows(
                        input,
                        new TrainingRows.Labels(
                                getOrDefault(labelCol()),
                                getOrDefault(validationIndicatorCol()),
                                kernel().loss() == Loss.LOGISTIC),
                        number(numPartitions()),
                        number(batchSize()),
                        number(seed())),
                kernel(),
                isTrue(fitIntercept()),
                new Training.Schedule(
                        number(maxIter()),
                        !getOrDefault(validationIndicatorCol()).isEmpty(),
                        number(tol()),
                        number(patience()),
                        number(seed())),
                EpochLoop.saves(this, checkpoints(), data.sparkSession()));
        Fitting.Trained trained = fitting.run(data, this::rules);
        M model = model(trained.weights());
        model.setEpochs(trained.epochs());
        copyValues(model, ParamMap.empty());
        model.set(model.numFeatures(), input.numFeatures());
        model.setParent(this);
        if (!isTrue(exportWeights())) {
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
        scoring.input(this).check(schema);
        Input.checkNumeric(schema, "label", getOrDefault(labelCol()));
        if (!getOrDefault(validationIndicatorCol()).isEmpty()) {
            Input.checkBoolean(schema, "validation", getOrDefault(validationIndicatorCol()));
        }
        return scoring.output(this, kernel().loss()).append(schema);
    }

    @Override
    @SuppressWarnings("unchecked") // defaultCopy makes one of this class
    public E copy(ParamMap extra) {
        return (E) defaultCopy(extra);
    }

    @SuppressWarnings("unchecked") // each estimator is one of itself
    final <T> E with(Param<T> param, T value) {
        set(param, value);
        return (E) this;
    }

    // Params: found by Spark as the public methods that return one.

    /** Returns the param of the column of the label. */
    public Param<String> labelCol() {
        return learning.labelCol;
    }

    /** Returns the param of the column of booleans that are true for rows of validation. */
    public Param<String> validationIndicatorCol() {
        return learning.validationIndicatorCol;
    }

    /** Returns the param of the most epochs. */
    public IntParam maxIter() {
        return learning.maxIter;
    }

    /** Returns the param of the learning rate. */
    public DoubleParam stepSize() {
        return learning.stepSize;
    }

    /** Returns the param of the regularization. */
    public DoubleParam regParam() {
        return learning.regParam;
    }

    /** Returns the param of whether there is a bias. */
    public BooleanParam fitIntercept() {
        return learning.fitIntercept;
    }

    /** Returns the param of the least progress of an epoch. */
    public DoubleParam tol() {
        return learning.tol;
    }

    /** Returns the param of the epochs without progress after which the training ends. */
    public IntParam patience() {
        return learning.patience;
    }

    /** Returns the param of the seed. */
    public LongParam seed() {
        return learning.seed;
    }

    /** Returns the param of the number of partitions. */
    public IntParam numPartitions() {
        return learning.numPartitions;
    }

    /** Returns the param of whether the model is exported. */
    public BooleanParam exportWeights() {
        return learning.exportWeights;
    }

    /** Returns the param of whether epochs end with checkpoints. */
    public BooleanParam checkpoints() {
        return learning.checkpoints;
    }

    /** Sets the number of features: keys are from 0 to it. By default any keys, or the size of the vectors. */
    public E setNumFeatures(long number) {
        return with(numFeatures(), number);
    }

    /** Sets the column of the label; {@code label} by default. */
    public E setLabelCol(String column) {
        return with(labelCol(), column);
    }

    /** Sets the column of booleans that are true for rows of validation. */
    public E setValidationIndicatorCol(String column) {
        return with(validationIndicatorCol(), column);
    }

    /** Sets the most epochs; 10 by default. */
    public E setMaxIter(int epochs) {
        return with(maxIter(), epochs);
    }

    /** Sets the learning rate; by default 0.1, or 0.03 of a factorization machine. */
    public E setStepSize(double rate) {
        return with(stepSize(), rate);
    }

    /** Sets the regularization; 0 by default. */
    public E setRegParam(double strength) {
        return with(regParam(), strength);
    }

    /** Sets whether there is a bias, which is not regularized; true by default. */
    public E setFitIntercept(boolean fits) {
        return with(fitIntercept(), fits);
    }

    /** Sets by how much an epoch must lower the loss of validation; 1e-6 by default. */
    public E setTol(double difference) {
        return with(tol(), difference);
    }

    /** Sets after how many epochs in a row without progress the training ends; 1 by default. */
    public E setPatience(int epochs) {
        return with(patience(), epochs);
    }

    /** Sets the seed of the order of the rows. */
    public E setSeed(long seed) {
        return with(seed(), seed);
    }

    /** Sets the number of partitions, each of which one task trains; 0 for the input's, at least one for each core. */
    public E setNumPartitions(int partitions) {
        return with(numPartitions(), partitions);
    }

    /**
     * Sets whether {@link #fit} returns a model that has its weights itself, and frees those on the servers. False by
     * default.
     */
    public E setExportWeights(boolean exports) {
        return with(exportWeights(), exports);
    }

    /**
     * Sets whether each epoch ends with a checkpoint below {@code spark.psf.checkpoints}: an epoch in which a server is
     * lost with its executor is repeated from the checkpoint before it. {@code release()} of the model deletes them. By
     * default true if the application has {@code spark.psf.checkpoints}. Without checkpoints {@link #fit} fails if a
     * server is lost.
     */
    public E setCheckpoints(boolean saves) {
        return with(checkpoints(), saves);
    }
}
