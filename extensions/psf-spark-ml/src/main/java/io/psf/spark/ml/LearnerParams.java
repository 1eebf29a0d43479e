package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.DefaultParamsWritable;

/**
 * The params of the estimators whose weights are on the servers. Spark finds them as the public methods that return
 * one.
 */
abstract class LearnerParams<E extends LearnerParams<E, M>, M extends Model<M>> extends Estimator<M>
        implements PsScoringParams<E>, DefaultParamsWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Declared scoring;
    private final LearningParams learning;

    LearnerParams(String uid) {
        this.uid = uid;
        this.scoring = new Declared(this);
        this.learning = new LearningParams(this);
        scoring.setDefaults();
        learning.setDefaults(this, getClass().getName().hashCode());
    }

    @Override
    public String uid() {
        return uid;
    }

    @Override
    public Declared scoring() {
        return scoring;
    }

    @SuppressWarnings("unchecked") // each estimator is one of itself
    final E self() {
        return (E) this;
    }

    final <T> E with(Param<T> param, T value) {
        set(param, value);
        return self();
    }

    /** Returns the param of the column of weights. */
    public Param<String> weightCol() {
        return learning.weightCol;
    }

    /** Returns the column of weights. */
    public String getWeightCol() {
        return getOrDefault(weightCol());
    }

    /** Returns the param of the column of booleans that are true for rows of validation. */
    public Param<String> validationIndicatorCol() {
        return learning.validationIndicatorCol;
    }

    /** Returns the column of booleans that are true for rows of validation. */
    public String getValidationIndicatorCol() {
        return getOrDefault(validationIndicatorCol());
    }

    /** Returns the param of the most epochs. */
    public IntParam maxIter() {
        return learning.maxIter;
    }

    /** Returns the most epochs. */
    public int getMaxIter() {
        return (Integer) getOrDefault(maxIter());
    }

    /** Returns the param of the learning rate. */
    public DoubleParam stepSize() {
        return learning.stepSize;
    }

    /** Returns the learning rate. */
    public double getStepSize() {
        return (Double) getOrDefault(stepSize());
    }

    /** Returns the param of the regularization. */
    public DoubleParam regParam() {
        return learning.regParam;
    }

    /** Returns the regularization. */
    public double getRegParam() {
        return (Double) getOrDefault(regParam());
    }

    /** Returns the param of whether there is a bias. */
    public BooleanParam fitIntercept() {
        return learning.fitIntercept;
    }

    /** Returns whether there is a bias. */
    public boolean getFitIntercept() {
        return (Boolean) getOrDefault(fitIntercept());
    }

    /** Returns the param of the least progress of an epoch. */
    public DoubleParam tol() {
        return learning.tol;
    }

    /** Returns the least progress of an epoch. */
    public double getTol() {
        return (Double) getOrDefault(tol());
    }

    /** Returns the param of the epochs without progress after which the training ends. */
    public IntParam patience() {
        return learning.patience;
    }

    /** Returns the epochs without progress after which the training ends. */
    public int getPatience() {
        return (Integer) getOrDefault(patience());
    }

    /** Returns the param of the seed. */
    public LongParam seed() {
        return learning.seed;
    }

    /** Returns the seed. */
    public long getSeed() {
        return (Long) getOrDefault(seed());
    }

    /** Returns the param of the number of partitions. */
    public IntParam numPartitions() {
        return learning.numPartitions;
    }

    /** Returns the number of partitions. */
    public int getNumPartitions() {
        return (Integer) getOrDefault(numPartitions());
    }

    /** Returns the param of whether the model is exported. */
    public BooleanParam exportWeights() {
        return learning.exportWeights;
    }

    /** Returns whether the model is exported. */
    public boolean getExportWeights() {
        return (Boolean) getOrDefault(exportWeights());
    }

    /** Returns the param of whether epochs end with checkpoints. */
    public BooleanParam checkpoints() {
        return learning.checkpoints;
    }

    /** Returns whether epochs end with checkpoints, if it is set. */
    public boolean getCheckpoints() {
        return (Boolean) getOrDefault(checkpoints());
    }

    /**
     * Sets the column that says how often a row counts, from 0 on: a row of weight 2 counts as two rows, in training,
     * in validation and for {@code regParam}. By default each counts once.
     */
    public E setWeightCol(String column) {
        return with(weightCol(), column);
    }

    /** Sets the column of booleans that are true for rows of validation. */
    public E setValidationIndicatorCol(String column) {
        return with(validationIndicatorCol(), column);
    }

    /** Sets the most epochs; 10 by default. */
    public E setMaxIter(int epochs) {
        return with(maxIter(), epochs);
    }

    /** Sets the learning rate; by default 0.1, 0.03 of a factorization machine, and 0.003 of a DeepFM. */
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
