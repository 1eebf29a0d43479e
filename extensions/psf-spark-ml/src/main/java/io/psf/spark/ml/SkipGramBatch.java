package io.psf.spark.ml;

import io.psf.api.TensorCaller;
import java.util.Arrays;

/**
 * Groups of words whose vectors a task pulls at once, trains one group after the other, and pushes. A group has the
 * words around a word, and that word with negative samples. Not thread-safe.
 */
final class SkipGramBatch {
    private final SkipGramSettings settings;
    private final WordSource words;
    private final int targets;
    private final WordRows inputs;
    private final WordRows outputs;
    private final SkipGramGroup group;
    private int[] counts;
    private int[] inputAt;
    private int[] outputAt;
    private int groups;
    private int ends;
    private float rate;

    /** Makes an empty batch. */
    SkipGramBatch(SkipGramSettings settings, VectorTable vectors, WordSource words) {
        this.settings = settings;
        this.words = words;
        targets = 1 + settings.negative();
        inputs = new WordRows(vectors.input(), vectors.size());
        outputs = new WordRows(vectors.output(), vectors.size());
        group = new SkipGramGroup(settings.mostInputs(), targets, vectors.size());
        counts = new int[settings.batchSize()];
        inputAt = new int[settings.batchSize()];
        outputAt = new int[settings.batchSize() * targets];
    }

    int groups() {
        return groups;
    }

    boolean isFull() {
        return groups == counts.length;
    }

    /** Begins a group without words. */
    void begin() {
        counts[groups++] = 0;
    }

    /** Adds a word to those around the word of this group. */
    void addInput(int word) {
        if (ends == inputAt.length) {
            inputAt = Arrays.copyOf(inputAt, 2 * ends);
        }
        inputAt[ends++] = inputs.of(word);
        counts[groups - 1]++;
    }

    /** Sets an output word of this group: the word itself is target 0. */
    void setTarget(int target, int word) {
        outputAt[(groups - 1) * targets + target] = outputs.of(word);
    }

    /** Requests the vectors. */
    void pull(TensorCaller caller, float learningRate) {
        rate = learningRate;
        inputs.pull(caller);
        outputs.pull(caller);
    }

    /** Awaits the vectors, trains them, and sends the servers the differences. */
    void train(TensorCaller caller) {
        inputs.receive();
        outputs.receive();
        int at = 0;
        for (int i = 0; i < groups; i++) {
            group.clear();
            for (int end = at + counts[i]; at < end; at++) {
                group.add(inputs.vector(inputAt[at]));
            }
            for (int target = 0; target < targets; target++) {
                group.setTarget(target, outputs.vector(outputAt[i * targets + target]));
            }
            group.train(rate);
        }
        int negative = settings.negative();
        inputs.push(caller, word -> settings.part((1 + negative) * words.share(word), rate));
        outputs.push(caller, word -> settings.part(words.share(word) + negative * words.drawn(word), rate));
    }

    /** Awaits the servers, and makes the batch empty. */
    void end() {
        inputs.clear();
        outputs.clear();
        groups = 0;
        ends = 0;
    }
}
