package io.psf.spark.ml;

import io.psf.api.Pending;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.spark.ml.functions.PairFactors;
import io.psf.spark.ml.functions.SkipGramAdjustPsf;
import io.psf.spark.ml.functions.SkipGramDots;
import io.psf.spark.ml.functions.SkipGramDotsPsf;
import io.psf.spark.ml.functions.SkipGramTrainPsf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Groups of words that are trained by one call. A group has the words around a word, and that word with negative
 * samples, which all pairs of the group share (Ji et al., Parallelizing Word2Vec in Shared and Distributed Memory,
 * 2016). Not thread-safe.
 */
final class SkipGramBatch {
    /**
     * The largest sum of the factors of a word: by so much of the length of another vector its vector changes at once.
     */
    private static final float LIMIT = 0.15f;

    private final int targets;
    private final Positions inputWords = new Positions();
    private final Positions outputWords = new Positions();
    private int[] counts;
    private int[] inputAt;
    private int[] outputAt;
    private float[] factors = {};
    private float[] inputSums = {};
    private float[] outputSums = {};
    private int groups;
    private int inputs;
    private float rate;
    private @Nullable Pending<SkipGramDots.Response> products;
    private @Nullable Pending<?> changed;

    /**
     * Makes an empty batch.
     *
     * @param groups the number of groups that it is expected to have
     * @param targets the number of output words of a group
     */
    SkipGramBatch(int groups, int targets) {
        this.targets = targets;
        this.counts = new int[groups];
        this.inputAt = new int[groups];
        this.outputAt = new int[groups * targets];
    }

    int groups() {
        return groups;
    }

    /** Begins a group without words. */
    void begin() {
        if (groups == counts.length) {
            counts = Arrays.copyOf(counts, 2 * groups);
            outputAt = Arrays.copyOf(outputAt, 2 * groups * targets);
        }
        counts[groups++] = 0;
    }

    /** Adds a word to those around the word of this group. */
    void addInput(int word) {
        if (inputs == inputAt.length) {
            inputAt = Arrays.copyOf(inputAt, 2 * inputs);
        }
        inputAt[inputs++] = inputWords.of(word);
        counts[groups - 1]++;
    }

    /** Sets an output word of this group: the word itself is target 0. */
    void setTarget(int target, int word) {
        outputAt[(groups - 1) * targets + target] = outputWords.of(word);
    }

    /** Asks the servers for the products of all pairs. */
    void multiply(SkipGramDotsPsf.Stub dots, VectorTable vectors, float learningRate) {
        rate = learningRate;
        products = dots.call(
                vectors.input(),
                vectors.output(),
                inputWords.words(),
                outputWords.words(),
                targets,
                IntArray.wrap(counts, 0, groups),
                IntArray.wrap(inputAt, 0, inputs),
                IntArray.wrap(outputAt, 0, groups * targets));
    }

    /** Awaits the products, and sends the servers the changes that follow from them. */
    void adjust(SkipGramAdjustPsf.Stub adjust, VectorTable vectors) {
        Pending<SkipGramDots.Response> asked = products;
        if (asked == null) {
            throw new IllegalStateException("products: not asked for (expected: multiply before)");
        }
        FloatArray found = asked.await().products();
        int pairs = inputs * targets;
        if (factors.length < pairs) {
            factors = new float[Math.max(pairs, 2 * factors.length)];
        }
        found.copyTo(factors);
        PairFactors.of(factors, 0, pairs, targets, rate);
        limit();
        changed = adjust.call(
                vectors.input(),
                vectors.output(),
                inputWords.words(),
                outputWords.words(),
                targets,
                IntArray.wrap(counts, 0, groups),
                IntArray.wrap(inputAt, 0, inputs),
                IntArray.wrap(outputAt, 0, groups * targets),
                FloatArray.wrap(factors, 0, pairs));
    }

    /**
     * Reduces the factors of words whose factors in this batch add up to more than a limit. All of them follow from
     * products before the batch: without a limit, the vectors of words that are in many groups grow with each batch,
     * without end.
     */
    private void limit() {
        float[] ofInput = sum(inputSums, inputWords.count());
        float[] ofOutput = sum(outputSums, outputWords.count());
        inputSums = ofInput;
        outputSums = ofOutput;
        int at = 0;
        for (int group = 0; group < groups; group++) {
            for (int end = at + counts[group]; at < end; at++) {
                for (int target = 0; target < targets; target++) {
                    float factor = Math.abs(factors[at * targets + target]);
                    ofInput[inputAt[at]] += factor;
                    ofOutput[outputAt[group * targets + target]] += factor;
                }
            }
        }
        at = 0;
        for (int group = 0; group < groups; group++) {
            for (int end = at + counts[group]; at < end; at++) {
                float most = Math.max(LIMIT, ofInput[inputAt[at]]);
                for (int target = 0; target < targets; target++) {
                    factors[at * targets + target] *=
                            LIMIT / Math.max(most, ofOutput[outputAt[group * targets + target]]);
                }
            }
        }
    }

    private static float[] sum(float[] known, int n) {
        float[] zeros = known.length >= n ? known : new float[Math.max(n, 2 * known.length)];
        Arrays.fill(zeros, 0, n, 0);
        return zeros;
    }

    /** Sends the servers the groups, where one slice has whole vectors. */
    void train(SkipGramTrainPsf.Stub train, VectorTable vectors, float learningRate) {
        changed = train.call(
                vectors.input(),
                vectors.output(),
                inputWords.words(),
                outputWords.words(),
                targets,
                IntArray.wrap(counts, 0, groups),
                IntArray.wrap(inputAt, 0, inputs),
                IntArray.wrap(outputAt, 0, groups * targets),
                learningRate);
    }

    /** Awaits the changes, and makes the batch empty. */
    void end() {
        Pending<?> sent = changed;
        if (sent != null) {
            sent.await();
        }
        products = null;
        changed = null;
        groups = 0;
        inputs = 0;
        inputWords.clear();
        outputWords.clear();
    }
}
