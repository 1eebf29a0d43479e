package io.psf.spark.ml;

import java.util.Arrays;

/**
 * Trains the vectors of one group of words: of the words around a word, and of that word and its negative samples,
 * which all pairs of the group share (Ji et al., Parallelizing Word2Vec in Shared and Distributed Memory, 2016). The
 * gradient is that of skip-gram with negative sampling (Mikolov et al., Distributed Representations of Words and
 * Phrases, 2013). Not thread-safe.
 */
final class SkipGramGroup {
    private final int targets;
    /** The vectors of the words around the word. */
    private final float[][] inputs;
    /** The vectors of the word, target 0, and of the negative samples. */
    private final float[][] outputs;

    private final float[][] changes;
    private final float[] factors;
    private int n;

    /**
     * Makes a group without words.
     *
     * @param most the most input vectors
     * @param targets the number of output vectors
     * @param size the dimensions of a vector
     */
    SkipGramGroup(int most, int targets, int size) {
        this.targets = targets;
        this.inputs = new float[most][];
        this.outputs = new float[targets][];
        this.changes = new float[most][size];
        this.factors = new float[most * targets];
    }

    int targets() {
        return targets;
    }

    void clear() {
        n = 0;
    }

    /** Adds an input vector. */
    void add(float[] vector) {
        inputs[n++] = vector;
    }

    void setTarget(int target, float[] vector) {
        outputs[target] = vector;
    }

    /**
     * Changes the vectors: each input vector grows by the output vectors, times the factors of their pairs, and each
     * output vector by the input vectors, as they were before.
     */
    void train(float rate) {
        multiply();
        for (int at = 0; at < n * targets; at += targets) {
            factors[at] = rate * (1 - Sigmoid.of(factors[at]));
            for (int target = 1; target < targets; target++) {
                factors[at + target] = -rate * Sigmoid.of(factors[at + target]);
            }
        }
        for (int i = 0; i < n; i++) {
            Arrays.fill(changes[i], 0);
            VectorLoops.add(changes[i], outputs, targets, factors, i * targets, 1);
        }
        for (int target = 0; target < targets; target++) {
            VectorLoops.add(outputs[target], inputs, n, factors, target, targets);
        }
        for (int i = 0; i < n; i++) {
            VectorLoops.add(inputs[i], changes[i]);
        }
    }

    /** Computes the products of all pairs, input by input. */
    private void multiply() {
        for (int i = 0; i < n; i += 2) {
            int next = Math.min(i + 1, n - 1);
            VectorLoops.multiply(inputs[i], inputs[next], outputs, targets, factors, i * targets, next * targets);
        }
    }
}
