package io.psf.spark.ml;

import java.io.Serial;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * A model of clicks that has a linear part, pairs of categories as a factorization machine, and a network over all of
 * them (DeepFM: Guo, Tang, Ye, Li and He, IJCAI 2017). The weights and factors of the categories are rows on the
 * servers, and the network is a dense tensor there; Adam changes both. The tasks compute. Labels are 0 or 1; validation
 * and the training are as in {@link PsLogisticRegression}.
 *
 * <pre>{@code
 * PsDeepFM deep = new PsDeepFM()
 *         .setInputCols("site", "device", "words")
 *         .setLabelCol("clicked")
 *         .setHiddenLayers(64, 32);
 * PsDeepFMModel model = deep.fit(impressions);
 * }</pre>
 *
 * <p>Each column of {@code inputCols} is a field. A number is a category: amounts are put into buckets before. A category
 * that no row of training had has no part in predictions. {@code regParam} is L2 of the weights and factors that a row
 * has.
 */
public final class PsDeepFM extends PsLabelLearner<PsDeepFM, PsDeepFMModel>
        implements PsFieldParams<PsDeepFM>, PsProbabilityParams<PsDeepFM> {
    @Serial
    private static final long serialVersionUID = 1;

    private final IntParam factorSize;
    private final IntArrayParam hiddenLayers;
    private final DoubleParam initStd;

    /** Creates an estimator. */
    public PsDeepFM() {
        this(Identifiable$.MODULE$.randomUID("psDeepFm"));
    }

    /**
     * Creates an estimator with an id.
     *
     * @param uid its id, which its models have too
     */
    public PsDeepFM(String uid) {
        super(uid);
        factorSize = new IntParam(this, "factorSize", "number of factors (> 0)", ParamValidators.gt(0));
        hiddenLayers = new IntArrayParam(this, "hiddenLayers", "outputs of each hidden layer of the network (> 0)");
        initStd = new DoubleParam(
                this, "initStd", "standard deviation of the initial factors (> 0)", ParamValidators.gt(0));
        setDefault(factorSize, 8);
        setDefault(hiddenLayers, new int[] {64, 32});
        setDefault(initStd, 0.1);
        setDefault(stepSize(), 0.003);
    }

    /** Returns the param of the number of factors. */
    public IntParam factorSize() {
        return factorSize;
    }

    /** Returns the number of factors. */
    public int getFactorSize() {
        return (Integer) getOrDefault(factorSize());
    }

    /** Returns the param of the outputs of the hidden layers. */
    public IntArrayParam hiddenLayers() {
        return hiddenLayers;
    }

    /** Returns the outputs of each hidden layer. */
    public int[] getHiddenLayers() {
        return getOrDefault(hiddenLayers());
    }

    /** Returns the param of the standard deviation of the initial factors. */
    public DoubleParam initStd() {
        return initStd;
    }

    /** Returns the standard deviation of the initial factors. */
    public double getInitStd() {
        return (Double) getOrDefault(initStd());
    }

    /** Sets the number of factors of a category; 8 by default. */
    public PsDeepFM setFactorSize(int factors) {
        return with(factorSize, factors);
    }

    /** Sets the number of outputs of each hidden layer; 64 and 32 by default. */
    public PsDeepFM setHiddenLayers(int... outputs) {
        return with(hiddenLayers, outputs.clone());
    }

    /** Sets the standard deviation of the initial factors; 0.1 by default. */
    public PsDeepFM setInitStd(double deviation) {
        return with(initStd, deviation);
    }

    @Override
    void checkParams() {
        for (int outputs : getHiddenLayers()) {
            if (outputs < 1) {
                throw new IllegalArgumentException(
                        "hiddenLayers: " + Arrays.toString(getHiddenLayers()) + " (expected: each at least 1)");
            }
        }
        if (!getFitIntercept()) {
            throw new IllegalArgumentException("fitIntercept: false (expected: true, as the network has biases)");
        }
    }

    @Override
    Input input(Dataset<Row> rows) {
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

    @Override
    Kernel kernel(int classes) {
        int inputs = getInputCols().length * getFactorSize();
        int[] sizes = IntStream.concat(
                        IntStream.of(inputs), IntStream.concat(Arrays.stream(getHiddenLayers()), IntStream.of(1)))
                .toArray();
        FactorKernel machine = new FactorKernel(
                BinaryLoss.LOGISTIC, getFactorSize(), true, (float) getInitStd(), (float) getRegParam(), getSeed());
        return new DeepKernel(machine, new Network(sizes));
    }

    @Override
    Fitting.Rules rules(double rows) {
        Rule adam = Rule.adam(getStepSize());
        return new Fitting.Rules(adam, adam);
    }

    @Override
    PsDeepFMModel model(Weights weights) {
        return new PsDeepFMModel(uid(), weights);
    }

    /** Returns a reader of estimators. */
    public static MLReader<PsDeepFM> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads an estimator that was saved. */
    public static PsDeepFM load(String path) {
        return read().load(path);
    }
}
