package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;

/**
 * The params of predictions, which an estimator and its model have in common. Spark finds params as the public methods
 * that return one.
 *
 * @param <S> the estimator or model itself
 */
public interface PsScoringParams<S> extends Params {
    /** Returns the params of this object. */
    Declared scoring();

    /** Returns the param of the column of the prediction. */
    default Param<String> predictionCol() {
        return scoring().predictionCol;
    }

    /** Returns the column of the prediction. */
    default String getPredictionCol() {
        return getOrDefault(predictionCol());
    }

    /** Returns the param of the number of rows of a batch. */
    default IntParam batchSize() {
        return scoring().batchSize;
    }

    /** Returns the number of rows of a batch. */
    default int getBatchSize() {
        return (Integer) getOrDefault(batchSize());
    }

    /** Sets the column of the prediction; {@code prediction} by default. */
    default S setPredictionCol(String column) {
        return scoring().with(predictionCol(), column);
    }

    /**
     * Sets the most rows of a batch, whose weights are pulled together, and whose gradients are pushed together; 1024 by
     * default. A batch is one step of the optimizer: if rows are few, batches of training have fewer, so that an epoch
     * has 64 steps for each task that runs at the same time.
     */
    default S setBatchSize(int rows) {
        return scoring().with(batchSize(), rows);
    }

    /** The params of one object. */
    final class Declared implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        static final String DROP = "drop";

        final Param<String> featuresCol;
        final Param<String> keysCol;
        final Param<String> valuesCol;
        final LongParam numFeatures;
        final StringArrayParam inputCols;
        final Param<String> rawPredictionCol;
        final Param<String> probabilityCol;
        final DoubleParam threshold;
        final Param<String> userCol;
        final Param<String> itemCol;
        final Param<String> coldStartStrategy;
        private final PsScoringParams<?> of;
        private final Param<String> predictionCol;
        private final IntParam batchSize;

        Declared(PsScoringParams<?> of) {
            this.of = of;
            featuresCol = new Param<>(of, "featuresCol", "column of vectors, if keysCol is empty");
            keysCol = new Param<>(of, "keysCol", "column of arrays of bigint: the keys of a row's features");
            valuesCol = new Param<>(
                    of, "valuesCol", "column of arrays of numbers: the value of each key; all are 1 if it is empty");
            numFeatures = new LongParam(
                    of,
                    "numFeatures",
                    "keys are in [0, numFeatures); 0 for any keys, or for the size of the vectors (>= 0)",
                    ParamValidators.gtEq(0));
            inputCols = PsFeatureHasher.inputCols(of);
            predictionCol = new Param<>(of, "predictionCol", "column of the prediction");
            rawPredictionCol = new Param<>(of, "rawPredictionCol", "column of a number for each class; empty for none");
            probabilityCol =
                    new Param<>(of, "probabilityCol", "column of the probabilities of the classes; empty for none");
            threshold = new DoubleParam(
                    of,
                    "threshold",
                    "a prediction of two classes is 1 above this probability, in [0, 1]",
                    ParamValidators.inRange(0, 1));
            userCol = new Param<>(of, "userCol", "column of users, whole numbers");
            itemCol = new Param<>(of, "itemCol", "column of items, whole numbers");
            coldStartStrategy = new Param<>(
                    of,
                    "coldStartStrategy",
                    "of rows whose user or item is unknown: nan predicts NaN, drop leaves them out",
                    ParamValidators.inArray(List.of("nan", DROP)));
            batchSize = new IntParam(of, "batchSize", "most rows of a batch (> 0)", ParamValidators.gt(0));
        }

        /** Sets the defaults of the params that the object has. */
        void setDefaults() {
            of.setDefault(predictionCol, "prediction");
            of.setDefault(batchSize, 1024);
            if (of instanceof PsFeatureParams) {
                of.setDefault(featuresCol, "features");
                of.setDefault(keysCol, "");
                of.setDefault(valuesCol, "");
                of.setDefault(numFeatures, 0L);
            }
            if (of instanceof PsFieldParams) {
                of.setDefault(inputCols, new String[0]);
            }
            if (of instanceof PsRatingParams) {
                of.setDefault(userCol, "user");
                of.setDefault(itemCol, "item");
                of.setDefault(coldStartStrategy, "nan");
            }
            if (of instanceof PsClassifierParams) {
                of.setDefault(rawPredictionCol, "rawPrediction");
            }
            if (of instanceof PsProbabilityParams) {
                of.setDefault(probabilityCol, "probability");
                of.setDefault(threshold, 0.5);
            }
        }

        /** Sets a param of the object, and returns the object. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"
        }) // each estimator and each model is one of itself
        <S, T> S with(Param<T> param, T value) {
            of.set(param, value);
            return (S) of;
        }

        Input input() {
            return new Input(of.getOrDefault(featuresCol), of.getOrDefault(keysCol), of.getOrDefault(valuesCol), (Long)
                    of.getOrDefault(numFeatures));
        }

        /** Returns the columns that a model of a loss adds. */
        Output output(Loss loss) {
            boolean hasClasses = loss instanceof ClassLoss && of instanceof PsClassifierParams;
            boolean hasProbabilities = hasClasses && of instanceof PsProbabilityParams;
            return new Output(
                    hasClasses ? of.getOrDefault(rawPredictionCol) : "",
                    hasProbabilities ? of.getOrDefault(probabilityCol) : "",
                    of.getOrDefault(predictionCol),
                    loss,
                    hasProbabilities ? (Double) of.getOrDefault(threshold) : 0);
        }
    }
}
