package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Factors of users and items from ratings, as Spark's ALS with explicit feedback, for more of them than a driver holds:
 * the factors are on the servers, where AdaGrad changes them. A rating is predicted as the product of the factors of user
 * and item, and their biases, and the intercept (Koren, Bell and Volinsky, IEEE Computer 2009).
 *
 * <pre>{@code
 * PsMatrixFactorizationModel model = new PsMatrixFactorization()
 *         .setUserCol("userId")
 *         .setItemCol("movieId")
 *         .setRank(16)
 *         .setColdStartStrategy("drop")
 *         .fit(ratings);
 * }</pre>
 *
 * <p>With {@code implicitPrefs} the factors are those of Spark's ALS with implicit feedback, by alternating least squares:
 * {@code alpha}, {@code regParam}, {@code maxIter} and the loss have ALS's meaning. Biases and an intercept are not
 * fitted then, and {@code stepSize}, {@code batchSize} and {@code initStd} have no meaning.
 *
 * <p>Users and items are whole numbers of 63 bits; texts become such by {@code shiftright(xxhash64(name), 1)}. {@code
 * regParam} is L2 of the factors and biases of a rating's user and item, in each rating. The training, validation and
 * weights of rows are as in {@link PsLogisticRegression}.
 */
public final class PsMatrixFactorization extends PsLearner<PsMatrixFactorization, PsMatrixFactorizationModel>
        implements PsRatingParams<PsMatrixFactorization> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> ratingCol;
    private final IntParam rank;
    private final BooleanParam fitBiases;
    private final DoubleParam initStd;
    private final BooleanParam implicitPrefs;
    private final DoubleParam alpha;

    /** Creates an estimator. */
    public PsMatrixFactorization() {
        this(Identifiable$.MODULE$.randomUID("psMf"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsMatrixFactorization(String uid) {
        super(uid);
        ratingCol = new Param<>(this, "ratingCol", "column of the rating");
        rank = new IntParam(this, "rank", "number of factors (> 0)", ParamValidators.gt(0));
        fitBiases = new BooleanParam(this, "fitBiases", "whether users and items have biases");
        initStd = new DoubleParam(
                this, "initStd", "standard deviation of the initial factors (> 0)", ParamValidators.gt(0));
        implicitPrefs = new BooleanParam(this, "implicitPrefs", "whether ratings say how often, and not how well");
        alpha = new DoubleParam(
                this,
                "alpha",
                "of implicit feedback: what a rating of 1 adds to the weight of a pair (>= 0)",
                ParamValidators.gtEq(0));
        setDefault(implicitPrefs, false);
        setDefault(alpha, 1.0);
        setDefault(ratingCol, "rating");
        setDefault(rank, 10);
        setDefault(fitBiases, true);
        setDefault(initStd, 0.1);
    }

    /** Returns the param of the column of the rating. */
    public Param<String> ratingCol() {
        return ratingCol;
    }

    /** Returns the column of the rating. */
    public String getRatingCol() {
        return getOrDefault(ratingCol());
    }

    /** Returns the param of the number of factors. */
    public IntParam rank() {
        return rank;
    }

    /** Returns the number of factors. */
    public int getRank() {
        return (Integer) getOrDefault(rank());
    }

    /** Returns the param of whether users and items have biases. */
    public BooleanParam fitBiases() {
        return fitBiases;
    }

    /** Returns whether users and items have biases. */
    public boolean getFitBiases() {
        return (Boolean) getOrDefault(fitBiases());
    }

    /** Returns the param of the standard deviation of the initial factors. */
    public DoubleParam initStd() {
        return initStd;
    }

    /** Returns the standard deviation of the initial factors. */
    public double getInitStd() {
        return (Double) getOrDefault(initStd());
    }

    /** Returns the param of whether ratings say how often a user had an item. */
    public BooleanParam implicitPrefs() {
        return implicitPrefs;
    }

    /** Returns whether ratings say how often a user had an item. */
    public boolean getImplicitPrefs() {
        return (Boolean) getOrDefault(implicitPrefs());
    }

    /** Returns the param of what a rating of 1 adds to the weight of a pair. */
    public DoubleParam alpha() {
        return alpha;
    }

    /** Returns what a rating of 1 adds to the weight of a pair. */
    public double getAlpha() {
        return (Double) getOrDefault(alpha());
    }

    /** Sets the column of the rating; {@code rating} by default. */
    public PsMatrixFactorization setRatingCol(String column) {
        return with(ratingCol, column);
    }

    /** Sets the number of factors; 10 by default. */
    public PsMatrixFactorization setRank(int factors) {
        return with(rank, factors);
    }

    /** Sets whether users and items have biases, which are regularized; true by default. */
    public PsMatrixFactorization setFitBiases(boolean fits) {
        return with(fitBiases, fits);
    }

    /** Sets the standard deviation of the initial factors; 0.1 by default. */
    public PsMatrixFactorization setInitStd(double deviation) {
        return with(initStd, deviation);
    }

    /**
     * Sets whether ratings say how often a user had an item, such as clicks or minutes, and a pair without a rating
     * counts as 0; false by default.
     */
    public PsMatrixFactorization setImplicitPrefs(boolean implicit) {
        return with(implicitPrefs, implicit);
    }

    /** Sets what a rating of 1 adds to the weight of a pair, which is 1 without a rating; 1 by default. */
    public PsMatrixFactorization setAlpha(double weight) {
        return with(alpha, weight);
    }

    @Override
    void checkParams() {
        if (getImplicitPrefs()) {
            requireNone("weightCol", getWeightCol());
            requireNone("validationIndicatorCol", getValidationIndicatorCol());
        }
    }

    private static void requireNone(String what, String column) {
        if (!column.isEmpty()) {
            throw new IllegalArgumentException(what + ": \"" + column + "\" (expected: none, with implicitPrefs)");
        }
    }

    @Override
    String label() {
        return getRatingCol();
    }

    @Override
    String labelRole() {
        return "rating";
    }

    @Override
    Input input(Dataset<Row> rows) {
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
    Kernel kernel(int classes) {
        return new FactorKernel(
                NumberLoss.SQUARED, getRank(), getFitBiases(), (float) getInitStd(), (float) getRegParam(), getSeed());
    }

    @Override
    Fitting.Trained train(Dataset<Row> rows, Input input, @Nullable Weights initial, boolean saves) {
        if (!getImplicitPrefs()) {
            return super.train(rows, input, initial, saves);
        }
        float deviation = (float) (1 / Math.sqrt(getRank())); // as ALS, which begins with factors of length 1
        FactorKernel first = new FactorKernel(NumberLoss.SQUARED, getRank(), false, deviation, 0, getSeed());
        return new Alternating(
                        uid(),
                        getRatingCol(),
                        first,
                        getAlpha(),
                        getRegParam(),
                        initial,
                        getNumPartitions(),
                        getMaxIter(),
                        saves)
                .run(rows);
    }

    @Override
    Fitting.Rules rules(double rows) {
        Rule adaGrad = Rule.adaGrad(getStepSize());
        return new Fitting.Rules(adaGrad, adaGrad);
    }

    @Override
    PsMatrixFactorizationModel model(Weights weights) {
        return new PsMatrixFactorizationModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsMatrixFactorization> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsMatrixFactorization load(String path) {
        return read().load(path);
    }
}
