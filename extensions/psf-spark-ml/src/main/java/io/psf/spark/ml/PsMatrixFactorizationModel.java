package io.psf.spark.ml;

import static org.apache.spark.sql.functions.isnan;
import static org.apache.spark.sql.functions.not;

import java.io.Serial;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * A model of {@link PsMatrixFactorization}. Its factors are on the servers, from which {@link #transform} pulls those
 * that it needs, until {@link #release} frees them. {@link #exported} has them itself, and so does a model that was
 * loaded, unless {@link PsModelReader#onServers} loads it.
 */
public final class PsMatrixFactorizationModel extends PsScorer<PsMatrixFactorizationModel>
        implements PsRatingParams<PsMatrixFactorizationModel> {
    @Serial
    private static final long serialVersionUID = 1;

    PsMatrixFactorizationModel(String uid, Weights weights) {
        super(uid, weights);
    }

    /** Returns the number of factors. */
    public int rank() {
        return kernel().width() - 1;
    }

    /** Returns the factors of the users: columns {@code id}, {@code features} and {@code bias}. */
    public Dataset<Row> userFactors() {
        return Ratings.factors(getWeights(), false);
    }

    /** Returns the factors of the items: columns {@code id}, {@code features} and {@code bias}. */
    public Dataset<Row> itemFactors() {
        return Ratings.factors(getWeights(), true);
    }

    /**
     * Returns the items with the highest predicted ratings for each user, as Spark's ALS does: columns of {@code
     * userCol}, bigint, and {@code recommendations}, an array of structs of {@code itemCol}, bigint, and {@code rating},
     * float, the highest first. All items are rated for each user, by tasks, when the frame is evaluated. The driver has
     * the ids of the items, and no factors.
     *
     * @param numItems the most items for a user
     */
    public Dataset<Row> recommendForAllUsers(int numItems) {
        return recommend(Ratings.keys(getWeights(), false), true, "numItems", numItems);
    }

    /**
     * As {@link #recommendForAllUsers}, for the users of a frame that the model has, each once.
     *
     * @param dataset with a column {@code userCol}
     */
    public Dataset<Row> recommendForUserSubset(Dataset<?> dataset, int numItems) {
        return recommend(Ratings.keys(dataset, "user", getUserCol(), false), true, "numItems", numItems);
    }

    /** Returns the users with the highest predicted ratings for each item, as {@link #recommendForAllUsers}. */
    public Dataset<Row> recommendForAllItems(int numUsers) {
        return recommend(Ratings.keys(getWeights(), true), false, "numUsers", numUsers);
    }

    /**
     * As {@link #recommendForAllItems}, for the items of a frame that the model has, each once.
     *
     * @param dataset with a column {@code itemCol}
     */
    public Dataset<Row> recommendForItemSubset(Dataset<?> dataset, int numUsers) {
        return recommend(Ratings.keys(dataset, "item", getItemCol(), true), false, "numUsers", numUsers);
    }

    private Dataset<Row> recommend(Dataset<Row> keys, boolean ofItems, String what, int most) {
        if (most < 1) {
            throw new IllegalArgumentException(what + ": " + most + " (expected: at least 1)");
        }
        Margins weights = everywhere(requireWeights(), keys.sparkSession());
        StructType schema =
                ofItems ? Recommend.schema(getUserCol(), getItemCol()) : Recommend.schema(getItemCol(), getUserCol());
        return Recommend.frame(weights, kernel().width(), keys, Ratings.keys(getWeights(), ofItems), most, schema);
    }

    @Override
    Loss trainedLoss() {
        return NumberLoss.SQUARED;
    }

    @Override
    Input input() {
        return Ratings.input();
    }

    @Override
    void checkFeatures(StructType schema) {
        Ratings.check(this, schema);
    }

    @Override
    Dataset<Row> prepared(Dataset<?> data) {
        return Ratings.withKeys(this, data);
    }

    @Override
    boolean needsAllKeys() {
        return true;
    }

    /** Returns a frame with the predictions. */
    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        Dataset<Row> scored = super.transform(data).drop(Ratings.KEYS);
        return getColdStartStrategy().equals(Declared.DROP)
                ? scored.where(not(isnan(Input.quoted(getPredictionCol()))))
                : scored;
    }

    @Override
    PsMatrixFactorizationModel with(Weights weights) {
        return new PsMatrixFactorizationModel(uid(), weights);
    }

    /** Returns a reader of models. */
    public static PsModelReader<PsMatrixFactorizationModel> read() {
        return new PsModelReader<>(PsMatrixFactorizationModel.class, PsMatrixFactorizationModel::new);
    }

    /** Reads a model that was saved, as {@link #read} does. */
    public static PsMatrixFactorizationModel load(String path) {
        return read().load(path);
    }
}
