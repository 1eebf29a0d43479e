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

/**
 * The parameters of {@link PsWord2Vec} and of its models: the parameters of Spark's {@code Word2Vec}, and more.
 *
 * @param <S> the estimator or model itself
 */
public interface PsWord2VecParams<S> extends Params {
    /** Returns the parameters of this object. */
    Declared declared();

    /** The column of the words: {@code array<string>}. */
    default Param<String> inputCol() {
        return declared().inputCol;
    }

    /** The column of the vectors. */
    default Param<String> outputCol() {
        return declared().outputCol;
    }

    /** The dimensions of a vector, 100 by default. */
    default IntParam vectorSize() {
        return declared().vectorSize;
    }

    /** The largest distance of two words that are trained as a pair, 5 by default. */
    default IntParam windowSize() {
        return declared().windowSize;
    }

    /** The number of occurrences below which a word is left out, 5 by default. */
    default IntParam minCount() {
        return declared().minCount;
    }

    /** The number of times that all sentences are trained, 1 by default. */
    default IntParam maxIter() {
        return declared().maxIter;
    }

    /** The first learning rate, which declines linearly, 0.05 by default. */
    default DoubleParam stepSize() {
        return declared().stepSize;
    }

    /** The number of tasks that train at once; by default the data's number of partitions. */
    default IntParam numPartitions() {
        return declared().numPartitions;
    }

    /** The number of words at which a sentence is divided, 1000 by default. */
    default IntParam maxSentenceLength() {
        return declared().maxSentenceLength;
    }

    /** The seed of the first vectors and of all draws. */
    default LongParam seed() {
        return declared().seed;
    }

    /** The number of negative samples for each word, 5 by default. */
    default IntParam negativeSamples() {
        return declared().negativeSamples;
    }

    /** The number of words of a batch, whose vectors a task pulls and pushes by one call, 500 by default. */
    default IntParam batchSize() {
        return declared().batchSize;
    }

    /**
     * The share of all words above which occurrences of a word are left out at random, 0.001 by default; 0 for never.
     */
    default DoubleParam subsampling() {
        return declared().subsampling;
    }

    /**
     * Whether each epoch ends with a checkpoint; by default whether the application has {@code spark.psf.checkpoints}.
     */
    default BooleanParam checkpoints() {
        return declared().checkpoints;
    }

    default String getInputCol() {
        return getOrDefault(inputCol());
    }

    default String getOutputCol() {
        return getOrDefault(outputCol());
    }

    default int getVectorSize() {
        return (Integer) getOrDefault(vectorSize());
    }

    default int getWindowSize() {
        return (Integer) getOrDefault(windowSize());
    }

    default int getMinCount() {
        return (Integer) getOrDefault(minCount());
    }

    default int getMaxIter() {
        return (Integer) getOrDefault(maxIter());
    }

    default double getStepSize() {
        return (Double) getOrDefault(stepSize());
    }

    default int getMaxSentenceLength() {
        return (Integer) getOrDefault(maxSentenceLength());
    }

    default long getSeed() {
        return (Long) getOrDefault(seed());
    }

    default int getNegativeSamples() {
        return (Integer) getOrDefault(negativeSamples());
    }

    default int getBatchSize() {
        return (Integer) getOrDefault(batchSize());
    }

    default double getSubsampling() {
        return (Double) getOrDefault(subsampling());
    }

    default S setInputCol(String value) {
        return with(inputCol(), value);
    }

    default S setOutputCol(String value) {
        return with(outputCol(), value);
    }

    @SuppressWarnings("unchecked") // each estimator and each model is one of itself
    private <T> S with(Param<T> param, T value) {
        set(param, value);
        return (S) this;
    }

    /** The parameters of one object. */
    final class Declared implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        private final Param<String> inputCol;
        private final Param<String> outputCol;
        private final IntParam vectorSize;
        private final IntParam windowSize;
        private final IntParam minCount;
        private final IntParam maxIter;
        private final DoubleParam stepSize;
        private final IntParam numPartitions;
        private final IntParam maxSentenceLength;
        private final LongParam seed;
        private final IntParam negativeSamples;
        private final IntParam batchSize;
        private final DoubleParam subsampling;
        private final BooleanParam checkpoints;

        Declared(String uid) {
            inputCol = new Param<>(uid, "inputCol", "the column of the words");
            outputCol = new Param<>(uid, "outputCol", "the column of the vectors");
            vectorSize = ofInt(uid, "vectorSize", "the dimensions of a vector", 1);
            windowSize = ofInt(uid, "windowSize", "the largest distance of two words of a pair", 1);
            minCount = ofInt(uid, "minCount", "the number of occurrences below which a word is left out", 0);
            maxIter = ofInt(uid, "maxIter", "the number of times that all sentences are trained", 1);
            stepSize = new DoubleParam(uid, "stepSize", "the first learning rate (> 0)", ParamValidators.gt(0));
            numPartitions = ofInt(uid, "numPartitions", "the number of tasks that train at once", 1);
            maxSentenceLength = ofInt(uid, "maxSentenceLength", "the words at which a sentence is divided", 1);
            seed = new LongParam(uid, "seed", "the seed of the first vectors and of all draws");
            negativeSamples = ofInt(uid, "negativeSamples", "the number of negative samples for each word", 1);
            batchSize = ofInt(uid, "batchSize", "the number of words whose vectors are pulled by one call", 1);
            subsampling = new DoubleParam(
                    uid,
                    "subsampling",
                    "the share of all words above which a word is left out at random (0 to 1; 0 for never)",
                    ParamValidators.inRange(0, 1));
            checkpoints = EpochLoop.param(uid);
        }

        private static IntParam ofInt(String uid, String name, String doc, int least) {
            return new IntParam(uid, name, doc + " (>= " + least + ")", ParamValidators.gtEq(least));
        }
    }
}
