package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;

/**
 * The params of features and predictions, which an estimator and its model have in common. Spark finds params as the
 * public methods that return one.
 *
 * @param <S> the estimator or model itself
 */
public interface PsScoringParams<S> extends Params {
    /** Returns the params of this object. */
    Declared scoring();

    /** Returns the param of the column of vectors. */
    default Param<String> featuresCol() {
        return scoring().featuresCol;
    }

    /** Returns the column of vectors. */
    default String getFeaturesCol() {
        return getOrDefault(featuresCol());
    }

    /** Returns the param of the column of arrays of keys; empty if there are vectors. */
    default Param<String> keysCol() {
        return scoring().keysCol;
    }

    /** Returns the column of arrays of keys; empty if there are vectors. */
    default String getKeysCol() {
        return getOrDefault(keysCol());
    }

    /** Returns the param of the column of arrays of values; empty if all are 1. */
    default Param<String> valuesCol() {
        return scoring().valuesCol;
    }

    /** Returns the column of arrays of values; empty if all are 1. */
    default String getValuesCol() {
        return getOrDefault(valuesCol());
    }

    /** Returns the param of the number of features; 0 for any keys. */
    default LongParam numFeatures() {
        return scoring().numFeatures;
    }

    /** Returns the number of features; 0 for any keys. */
    default long getNumFeatures() {
        return (Long) getOrDefault(numFeatures());
    }

    /** Returns the param of the column of the prediction. */
    default Param<String> predictionCol() {
        return scoring().predictionCol;
    }

    /** Returns the column of the prediction. */
    default String getPredictionCol() {
        return getOrDefault(predictionCol());
    }

    /** Returns the param of the column of the logits. */
    default Param<String> rawPredictionCol() {
        return scoring().rawPredictionCol;
    }

    /** Returns the column of the logits. */
    default String getRawPredictionCol() {
        return getOrDefault(rawPredictionCol());
    }

    /** Returns the param of the column of the probabilities. */
    default Param<String> probabilityCol() {
        return scoring().probabilityCol;
    }

    /** Returns the column of the probabilities. */
    default String getProbabilityCol() {
        return getOrDefault(probabilityCol());
    }

    /** Returns the param of the probability above which the prediction is 1. */
    default DoubleParam threshold() {
        return scoring().threshold;
    }

    /** Returns the probability above which the prediction is 1. */
    default double getThreshold() {
        return (Double) getOrDefault(threshold());
    }

    /** Returns the param of the number of rows of a batch. */
    default IntParam batchSize() {
        return scoring().batchSize;
    }

    /** Returns the number of rows of a batch. */
    default int getBatchSize() {
        return (Integer) getOrDefault(batchSize());
    }

    /** Sets the column of vectors, dense or sparse; {@code features} by default. */
    default S setFeaturesCol(String column) {
        return with(featuresCol(), column);
    }

    /** Sets the column of arrays of bigint, a row's keys, in place of vectors. */
    default S setKeysCol(String column) {
        return with(keysCol(), column);
    }

    /** Sets the column of arrays of float or double, the values of the keys; by default all are 1. */
    default S setValuesCol(String column) {
        return with(valuesCol(), column);
    }

    /** Sets the column of the prediction; {@code prediction} by default. */
    default S setPredictionCol(String column) {
        return with(predictionCol(), column);
    }

    /** Sets the column of the logits of both classes; empty for none. */
    default S setRawPredictionCol(String column) {
        return with(rawPredictionCol(), column);
    }

    /** Sets the column of the probabilities of both classes; empty for none. */
    default S setProbabilityCol(String column) {
        return with(probabilityCol(), column);
    }

    /** Sets the probability above which the prediction is 1; 0.5 by default. */
    default S setThreshold(double probability) {
        return with(threshold(), probability);
    }

    /**
     * Sets the rows of a batch, whose weights are pulled together, and whose gradients are pushed together; 1024 by
     * default.
     */
    default S setBatchSize(int rows) {
        return with(batchSize(), rows);
    }

    @SuppressWarnings("unchecked") // each estimator and each model is one of itself
    private <T> S with(Param<T> param, T value) {
        set(param, value);
        return (S) this;
    }

    /** The params of one object. */
    final class Declared implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        private final Param<String> featuresCol;
        private final Param<String> keysCol;
        private final Param<String> valuesCol;
        private final LongParam numFeatures;
        private final Param<String> predictionCol;
        private final Param<String> rawPredictionCol;
        private final Param<String> probabilityCol;
        private final DoubleParam threshold;
        private final IntParam batchSize;

        Declared(Params of) {
            featuresCol = new Param<>(of, "featuresCol", "column of vectors, if keysCol is empty");
            keysCol = new Param<>(of, "keysCol", "column of arrays of bigint: the keys of a row's features");
            valuesCol = new Param<>(
                    of, "valuesCol", "column of arrays of numbers: the value of each key; all are 1 if it is empty");
            numFeatures = new LongParam(
                    of,
                    "numFeatures",
                    "keys are in [0, numFeatures); 0 for any keys, or for the size of the vectors (>= 0)",
                    ParamValidators.gtEq(0));
            predictionCol = new Param<>(of, "predictionCol", "column of the prediction");
            rawPredictionCol =
                    new Param<>(of, "rawPredictionCol", "column of the logits of both classes; empty for none");
            probabilityCol =
                    new Param<>(of, "probabilityCol", "column of the probabilities of both classes; empty for none");
            threshold = new DoubleParam(
                    of,
                    "threshold",
                    "the prediction is 1 above this probability, in [0, 1]",
                    ParamValidators.inRange(0, 1));
            batchSize = new IntParam(of, "batchSize", "rows of a batch (> 0)", ParamValidators.gt(0));
        }

        void setDefaults(Params of) {
            of.setDefault(featuresCol, "features");
            of.setDefault(keysCol, "");
            of.setDefault(valuesCol, "");
            of.setDefault(numFeatures, 0L);
            of.setDefault(predictionCol, "prediction");
            of.setDefault(rawPredictionCol, "rawPrediction");
            of.setDefault(probabilityCol, "probability");
            of.setDefault(threshold, 0.5);
            of.setDefault(batchSize, 1024);
        }

        Input input(Params of) {
            return new Input(of.getOrDefault(featuresCol), of.getOrDefault(keysCol), of.getOrDefault(valuesCol), (Long)
                    of.getOrDefault(numFeatures));
        }

        Output output(Params of, Loss loss) {
            boolean isBinary = loss == Loss.LOGISTIC;
            return new Output(
                    isBinary ? of.getOrDefault(rawPredictionCol) : "",
                    isBinary ? of.getOrDefault(probabilityCol) : "",
                    of.getOrDefault(predictionCol),
                    loss,
                    (Double) of.getOrDefault(threshold));
        }

        int batchSize(Params of) {
            return (Integer) of.getOrDefault(batchSize);
        }
    }
}
