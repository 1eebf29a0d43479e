package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;

/** The params of a training, which the estimators have in common. */
final class LearningParams implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    final Param<String> weightCol;
    final Param<String> validationIndicatorCol;
    final IntParam maxIter;
    final DoubleParam stepSize;
    final DoubleParam regParam;
    final BooleanParam fitIntercept;
    final DoubleParam tol;
    final IntParam patience;
    final LongParam seed;
    final IntParam numPartitions;
    final BooleanParam exportWeights;
    final BooleanParam checkpoints;

    LearningParams(Params of) {
        weightCol =
                new Param<>(of, "weightCol", "column of the numbers that say how often a row counts; empty for once");
        validationIndicatorCol = new Param<>(
                of,
                "validationIndicatorCol",
                "column of booleans: true for a row that measures the progress, and is not learned; empty for none");
        maxIter = new IntParam(of, "maxIter", "most epochs (> 0)", ParamValidators.gt(0));
        stepSize =
                new DoubleParam(of, "stepSize", "learning rate of the servers' optimizer (> 0)", ParamValidators.gt(0));
        regParam = new DoubleParam(
                of, "regParam", "regularization, for the mean loss of a row (>= 0)", ParamValidators.gtEq(0));
        fitIntercept = new BooleanParam(of, "fitIntercept", "whether there is a bias");
        tol = new DoubleParam(
                of,
                "tol",
                "an epoch that lowers the validation loss by less is one without progress (>= 0)",
                ParamValidators.gtEq(0));
        patience = new IntParam(
                of, "patience", "epochs without progress after which the training ends (> 0)", ParamValidators.gt(0));
        seed = new LongParam(of, "seed", "of the order of the rows");
        numPartitions = new IntParam(
                of,
                "numPartitions",
                "partitions of the shuffled rows, each trained by a task; 0 for the input's, at least one for each core",
                ParamValidators.gtEq(0));
        exportWeights = new BooleanParam(
                of, "exportWeights", "whether the model has its weights itself, and none stay on the servers");
        checkpoints = EpochLoop.param(of.uid());
    }

    void setDefaults(Params of, int seed) {
        of.setDefault(weightCol, "");
        of.setDefault(validationIndicatorCol, "");
        of.setDefault(maxIter, 10);
        of.setDefault(stepSize, 0.1);
        of.setDefault(regParam, 0.0);
        of.setDefault(fitIntercept, true);
        of.setDefault(tol, 1e-6);
        of.setDefault(patience, 1);
        of.setDefault(this.seed, (long) seed);
        of.setDefault(numPartitions, 0);
        of.setDefault(exportWeights, false);
    }
}
