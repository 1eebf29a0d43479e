package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** A model whose weights are on the servers or in this process. */
abstract class PsScorer<M extends PsScorer<M>> extends Model<M> implements PsScoringParams<M>, MLWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Weights weights;
    private final Declared scoring;
    private @Nullable PsTrainingSummary summary;
    private transient Score.@Nullable Everywhere everywhere;

    PsScorer(String uid, Weights weights) {
        this.uid = uid;
        this.weights = weights;
        this.scoring = new Declared(this);
        scoring.setDefaults();
    }

    /** Returns the loss that the model was trained for. */
    abstract Loss trainedLoss();

    /** Returns the columns of the features of rows that {@link #prepared} has returned. */
    abstract Input input();

    /** Checks the columns of the features. */
    void checkFeatures(StructType schema) {
        input().check(schema);
    }

    /** Returns the rows with the columns of their features. */
    Dataset<Row> prepared(Dataset<?> data) {
        return data.toDF();
    }

    /** True if a row with a key that has no weights has no prediction: NaN. */
    boolean needsAllKeys() {
        return false;
    }

    final Kernel kernel() {
        return weights.kernel();
    }

    /** Returns a model of other weights, with this one's uid and without its params. */
    abstract M with(Weights weights);

    @Override
    public String uid() {
        return uid;
    }

    @Override
    public Declared scoring() {
        return scoring;
    }

    @SuppressWarnings("unchecked") // each model is one of itself
    private M self() {
        return (M) this;
    }

    final void setSummary(@Nullable PsTrainingSummary training) {
        summary = training;
    }

    /** True if this model was trained, and not loaded. */
    public boolean hasSummary() {
        return summary != null;
    }

    /**
     * Returns how the training went.
     *
     * @throws IllegalStateException if the model was loaded
     */
    public PsTrainingSummary summary() {
        PsTrainingSummary known = summary;
        if (known == null) {
            throw new IllegalStateException(uid + ": summary: none (expected: a model of fit, which was not loaded)");
        }
        return known;
    }

    /** Returns the number of epochs of the training; 0 if the model was loaded. */
    public int epochs() {
        return summary == null ? 0 : summary.totalIterations();
    }

    /** True if the weights are in this model, and need no servers. */
    public boolean isExported() {
        return weights instanceof LocalWeights;
    }

    /** Returns a model with the weights that are not 0, which scores without servers. Blocks until they are fetched. */
    public M exported() {
        return isExported() ? self() : copied(with(local()), ParamMap.empty());
    }

    final LocalWeights local() {
        return requireWeights() instanceof ServedWeights served ? served.fetch() : (LocalWeights) weights;
    }

    /**
     * Returns the weight that all rows have in common; 0 if there is none.
     *
     * @throws IllegalStateException if there is one for each of several classes
     */
    public double intercept() {
        float[] all = requireWeights().bias();
        if (kernel().outputs() > 1) {
            throw new IllegalStateException(
                    uid + ": intercept: " + all.length + " (expected: one; interceptVector() has all)");
        }
        return all[0];
    }

    /**
     * Returns the weights that are not 0: a row a key, with columns {@code key}, {@code weight} and, of a factorization
     * machine, {@code factors}; of several classes {@code key} and {@code weights}. Tasks fetch them from the servers when the frame is evaluated.
     */
    public Dataset<Row> getWeights() {
        return requireWeights().frame(SparkSession.active());
    }

    /**
     * Frees the weights on the servers, of this model and of its copies, which score no more, also in a frame of {@link
     * #transform} that is evaluated later. Does nothing if the model is exported or released. A model that is not
     * released is freed once the driver refers to no model and no frame of it.
     */
    public void release() {
        if (weights instanceof ServedWeights served) {
            served.release();
        }
    }

    /** Returns the weights, of which those on the servers are still there. */
    final Weights requireWeights() {
        if (weights instanceof ServedWeights served) {
            served.require(uid);
        }
        return weights;
    }

    @Override
    public M copy(ParamMap extra) {
        return copied(with(weights), extra);
    }

    private M copied(M other, ParamMap extra) {
        copyValues(other, extra);
        other.setSummary(summary);
        return hasParent() ? other.setParent(parent()) : other;
    }

    @Override
    public StructType transformSchema(StructType schema) {
        checkFeatures(schema);
        return scoring.output(trainedLoss()).append(schema);
    }

    /** Returns a frame with the predictions. The rows' weights are pulled when it is computed. */
    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        transformSchema(data.schema());
        Dataset<Row> rows = prepared(data);
        Output output = scoring.output(trainedLoss());
        StructType more = output.append(rows.schema());
        Score score = new Score(
                everywhere(requireWeights(), data.sparkSession()),
                input(),
                needsAllKeys(),
                output,
                rows.schema(),
                more.length(),
                getBatchSize());
        return rows.mapPartitions(score, Encoders.row(more));
    }

    final synchronized Margins everywhere(Weights some, SparkSession spark) {
        if (!(some instanceof LocalWeights local)) {
            return some;
        }
        Score.Everywhere known = everywhere;
        if (known == null) {
            known = new Score.Everywhere(new JavaSparkContext(spark.sparkContext()).broadcast(local));
            everywhere = known;
        }
        return known;
    }

    /** Returns a writer of the params, and of the weights as Parquet. Tasks write the weights. */
    @Override
    public MLWriter write() {
        return new ModelFiles.Writer(this, requireWeights());
    }
}
