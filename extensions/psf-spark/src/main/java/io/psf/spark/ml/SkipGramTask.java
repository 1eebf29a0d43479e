package io.psf.spark.ml;

import io.psf.api.ClusterCaller;
import io.psf.spark.PsSpark;
import io.psf.spark.ml.functions.SkipGramAdjustPsf;
import io.psf.spark.ml.functions.SkipGramDotsPsf;
import io.psf.spark.ml.functions.SkipGramTrainPsf;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * Trains on the sentences of a partition. Its calls and their order depend on the sentences and on the seed alone: an
 * attempt that repeats them makes the same calls. Not thread-safe.
 */
final class SkipGramTask {
    /** The batches that are under way beside another: more keep the servers busy, and their products are older. */
    private static final int AHEAD = 1;

    /** The consecutive words that share negative samples: most of the words of a batch, and the least frequent ones. */
    private static final int SHARED = 4;

    private final SkipGramSettings settings;
    private final VectorTable vectors;
    private final WordSource words;
    private final Draws draws;
    private final SkipGramDotsPsf.Stub dots;
    private final SkipGramAdjustPsf.Stub adjust;
    private final SkipGramTrainPsf.Stub train;
    /** Batches in the order of their calls: some await products, and others the end of their changes. */
    private final ArrayDeque<SkipGramBatch> asked = new ArrayDeque<>();

    private final ArrayDeque<SkipGramBatch> changing = new ArrayDeque<>();
    private final ArrayDeque<SkipGramBatch> free = new ArrayDeque<>();
    private SkipGramBatch batch;
    private int[] kept = {};
    private final int[] negatives;

    private SkipGramTask(
            SkipGramSettings settings, VectorTable vectors, WordSource words, ClusterCaller client, long seed) {
        this.settings = settings;
        this.vectors = vectors;
        this.words = words;
        this.draws = new Draws(seed);
        this.dots = SkipGramDotsPsf.stub(client);
        this.adjust = SkipGramAdjustPsf.stub(client);
        this.train = SkipGramTrainPsf.stub(client);
        this.negatives = new int[settings.negative()];
        this.batch = new SkipGramBatch(settings.batchSize(), 1 + settings.negative());
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
                if (batch.groups() >= settings.batchSize()) {
                    send(rate);
                }
            }
        }
        send(settings.rate(iteration, seen));
        while (!asked.isEmpty()) {
            adjustFirst();
        }
        while (!changing.isEmpty()) {
            changing.remove().end();
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
        if (vectors.blocks() == 1) {
            batch.train(train, vectors, rate);
            changing.add(batch);
        } else {
            batch.multiply(dots, vectors, rate);
            asked.add(batch);
            if (asked.size() > AHEAD) {
                adjustFirst();
            }
        }
        batch = next();
    }

    private void adjustFirst() {
        SkipGramBatch first = asked.remove();
        first.adjust(adjust, vectors);
        changing.add(first);
    }

    private SkipGramBatch next() {
        if (changing.size() > AHEAD) {
            SkipGramBatch first = changing.remove();
            first.end();
            free.add(first);
        }
        SkipGramBatch empty = free.poll();
        return empty != null ? empty : new SkipGramBatch(settings.batchSize(), 1 + settings.negative());
    }
}
