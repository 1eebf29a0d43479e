package io.psf.spark.ml;

import io.psf.api.TensorCaller;
import io.psf.spark.PsSpark;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * Trains on the sentences of a partition. Its calls and their order depend on the sentences and on the seed alone: an
 * attempt that repeats them makes the same calls. Not thread-safe.
 */
final class SkipGramTask {
    /** The batches that are pulled, or pushed, while another is trained: with more, their vectors are older. */
    private static final int AHEAD = 1;

    /** The consecutive words that share negative samples, which are most of the words of a batch. */
    private static final int SHARED = 2;

    private final SkipGramSettings settings;
    private final VectorTable vectors;
    private final WordSource words;
    private final Draws draws;
    private final TensorCaller servers;
    /** Batches in the order of their calls: some await their vectors, and others the end of their pushes. */
    private final ArrayDeque<SkipGramBatch> pulled = new ArrayDeque<>();

    private final ArrayDeque<SkipGramBatch> pushed = new ArrayDeque<>();
    private final ArrayDeque<SkipGramBatch> free = new ArrayDeque<>();
    private SkipGramBatch batch;
    private int[] kept = {};
    private final int[] negatives;

    private SkipGramTask(
            SkipGramSettings settings, VectorTable vectors, WordSource words, TensorCaller servers, long seed) {
        this.settings = settings;
        this.vectors = vectors;
        this.words = words;
        this.draws = new Draws(seed);
        this.servers = servers;
        this.negatives = new int[settings.negative()];
        this.batch = new SkipGramBatch(settings, vectors, words);
    }

    /** Trains on the sentences of the partition of this task, once. */
    static void train(
            SkipGramSettings settings,
            VectorTable vectors,
            Broadcast<WordSource> words,
            int iteration,
            Iterator<int[]> sentences) {
        TaskContext task = TaskContext.get();
        long seed = new Draws(settings.seed() + 31L * iteration).next() + task.partitionId();
        new SkipGramTask(settings, vectors, words.value(), PsSpark.client().task(task), new Draws(seed).next())
                .run(sentences, iteration);
    }

    private void run(Iterator<int[]> sentences, int iteration) {
        long seen = 0;
        while (sentences.hasNext()) {
            int[] sentence = sentences.next();
            seen += sentence.length;
            int n = keep(sentence);
            float rate = settings.rate(iteration, seen);
            for (int at = 0; at < n; at++) {
                add(at, n);
                if (batch.isFull()) {
                    send(rate);
                }
            }
        }
        send(settings.rate(iteration, seen));
        while (!pulled.isEmpty()) {
            trainFirst();
        }
        while (!pushed.isEmpty()) {
            pushed.remove().end();
        }
    }

    /** Copies the words of a sentence that subsampling leaves. Returns their number. */
    private int keep(int[] sentence) {
        if (kept.length < sentence.length) {
            kept = new int[sentence.length];
        }
        int n = 0;
        for (int word : sentence) {
            if (words.keeps(word, draws)) {
                kept[n++] = word;
            }
        }
        return n;
    }

    /** Adds the group of a word of the sentence: the words around it, up to a random distance. */
    private void add(int at, int n) {
        int distance = 1 + draws.below(settings.windowSize());
        int first = Math.max(0, at - distance);
        int end = Math.min(n, at + distance + 1);
        if (end - first < 2) {
            return;
        }
        batch.begin();
        for (int i = first; i < end; i++) {
            if (i != at) {
                batch.addInput(kept[i]);
            }
        }
        int word = kept[at];
        batch.setTarget(0, word);
        if (batch.groups() % SHARED == 1) {
            for (int i = 0; i < negatives.length; i++) {
                negatives[i] = words.draw(draws);
            }
        }
        for (int i = 0; i < negatives.length; i++) {
            batch.setTarget(1 + i, negatives[i] == word ? words.otherThan(word, draws) : negatives[i]);
        }
    }

    private void send(float rate) {
        if (batch.groups() == 0) {
            return;
        }
        batch.pull(servers, rate);
        pulled.add(batch);
        if (pulled.size() > AHEAD) {
            trainFirst();
        }
        batch = next();
    }

    private void trainFirst() {
        SkipGramBatch first = pulled.remove();
        first.train(servers);
        pushed.add(first);
    }

    private SkipGramBatch next() {
        if (pushed.size() > AHEAD) {
            SkipGramBatch first = pushed.remove();
            first.end();
            free.add(first);
        }
        SkipGramBatch empty = free.poll();
        return empty != null ? empty : new SkipGramBatch(settings, vectors, words);
    }
}
