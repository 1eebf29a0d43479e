package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;

/** The params of features and predictions, which an estimator and its model have in common. */
final class ScoringParams implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    final Param<String> featuresCol;
    final Param<String> keysCol;
    final Param<String> valuesCol;
    final LongParam numFeatures;
    final Param<String> predictionCol;
    final Param<String> rawPredictionCol;
    final Param<String> probabilityCol;
    final DoubleParam threshold;
    final IntParam batchSize;

    ScoringParams(Params of) {
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
        rawPredictionCol = new Param<>(of, "rawPredictionCol", "column of the logits of both classes; empty for none");
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
