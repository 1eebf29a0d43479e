package io.psf.spark.ml;

import io.psf.spark.PsSpark;
import java.io.Serial;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** A model whose weights are on the servers or in this process. */
abstract class PsScorer<M extends PsScorer<M>> extends Model<M> implements PsScoringParams<M>, MLWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Weights weights;
    /** True once the table is freed; shared by the copies of a model. */
    private final AtomicBoolean isReleased;

    private final Declared scoring;
    private int epochs;
    private transient Score.@Nullable Everywhere everywhere;

    PsScorer(String uid, Weights weights, AtomicBoolean isReleased) {
        this.uid = uid;
        this.weights = weights;
        this.isReleased = isReleased;
        this.scoring = new Declared(this);
        scoring.setDefaults(this);
    }

    /** Returns the loss that the model was trained for. */
    abstract Loss loss();

    /** Returns a model of other weights, with this one's uid and without its params. */
    abstract M with(Weights weights, AtomicBoolean isReleased);

    final Weights weights() {
        return weights;
    }

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

    final void setEpochs(int number) {
        epochs = number;
    }

    /** Returns the number of epochs of the training; 0 if the model was loaded. */
    public int epochs() {
        return epochs;
    }

    /** True if the weights are in this model, and need no servers. */
    public boolean isExported() {
        return weights instanceof LocalWeights;
    }

    /** Returns a model with the weights that are not 0, which scores without servers. Blocks until they are fetched. */
    public M exported() {
        return weights instanceof TableWeights table
                ? copied(with(fetch(table), isReleased), ParamMap.empty())
                : self();
    }

    final LocalWeights local() {
        return weights instanceof TableWeights table ? fetch(table) : (LocalWeights) weights;
    }

    private LocalWeights fetch(TableWeights table) {
        requireTable();
        return table.fetch();
    }

    /**
     * Frees the weights on the servers, of this model and of its copies, which score no more. Does nothing if the model
     * is exported or released.
     */
    public void release() {
        if (weights instanceof TableWeights table && !isReleased.getAndSet(true)) {
            table.table().clear(PsSpark.client());
        }
    }

    private void requireTable() {
        if (weights instanceof TableWeights table) {
            if (isReleased.get()) {
                throw new IllegalStateException(
                        uid
                                + ": its weights on the servers are released (expected: a call of exported() before release())");
            }
            table.servers().require(uid);
        }
    }

    @Override
    public M copy(ParamMap extra) {
        return copied(with(weights, isReleased), extra);
    }

    private M copied(M other, ParamMap extra) {
        copyValues(other, extra);
        other.setEpochs(epochs);
        return hasParent() ? other.setParent(parent()) : other;
    }

    @Override
    public StructType transformSchema(StructType schema) {
        scoring.input(this).check(schema);
        return scoring.output(this, loss()).append(schema);
    }

    /** Returns a frame with the predictions. The rows' weights are pulled when it is computed. */
    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        StructType schema = data.schema();
        StructType more = transformSchema(schema);
        requireTable();
        Score score = new Score(
                distributed(data),
                scoring.input(this),
                scoring.output(this, loss()),
                schema,
                more.length(),
                scoring.batchSize(this));
        return data.toDF().mapPartitions(score, Encoders.row(more));
    }

    private synchronized Weights distributed(Dataset<?> data) {
        if (!(weights instanceof LocalWeights local)) {
            return weights;
        }
        Score.Everywhere known = everywhere;
        if (known == null) {
            known = new Score.Everywhere(
                    new JavaSparkContext(data.sparkSession().sparkContext()).broadcast(local));
            everywhere = known;
        }
        return known;
    }

    /** Returns a writer of the params, and of the weights as parquet. */
    @Override
    public MLWriter write() {
        return new ModelFiles.Writer(this);
    }
}
