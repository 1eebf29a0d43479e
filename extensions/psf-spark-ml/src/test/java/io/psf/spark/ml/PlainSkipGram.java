package io.psf.spark.ml;

import java.util.Random;

/** Skip-gram with negative sampling on one thread, as word2vec.c has it: an update for each pair, one after another. */
final class PlainSkipGram {
    private static final int SIZE = 100;
    private static final int WINDOW = 5;
    private static final int NEGATIVE = 5;
    private static final double RATE = .025;
    private static final double POWER = .75;

    private final float[][] inputs;
    private final float[][] outputs;
    private final int[] negatives = new int[1 << 20];
    private final Random random = new Random(1);
    private final float[] change = new float[SIZE];

    private PlainSkipGram(int[][] sentences, int words) {
        inputs = new float[words][SIZE];
        outputs = new float[words][SIZE];
        for (float[] vector : inputs) {
            for (int d = 0; d < SIZE; d++) {
                vector[d] = (random.nextFloat() - .5f) / SIZE;
            }
        }
        double[] shares = new double[words];
        for (int[] sentence : sentences) {
            for (int word : sentence) {
                shares[word]++;
            }
        }
        double total = 0;
        for (int word = 0; word < words; word++) {
            shares[word] = Math.pow(shares[word], POWER);
            total += shares[word];
        }
        double end = 0;
        for (int word = 0, at = 0; word < words; word++) {
            end += shares[word] / total * negatives.length;
            for (; at < negatives.length && at < end; at++) {
                negatives[at] = word;
            }
        }
    }

    /** Trains once on each sentence. Returns the vectors of words, [words][100]. */
    static float[][] train(int[][] sentences, int words) {
        PlainSkipGram plain = new PlainSkipGram(sentences, words);
        for (int i = 0; i < sentences.length; i++) {
            plain.train(sentences[i], (float) (RATE * Math.max(1e-4, 1 - (double) i / sentences.length)));
        }
        return plain.inputs;
    }

    private void train(int[] sentence, float rate) {
        for (int at = 0; at < sentence.length; at++) {
            int distance = 1 + random.nextInt(WINDOW);
            for (int i = Math.max(0, at - distance); i < Math.min(sentence.length, at + distance + 1); i++) {
                if (i != at) {
                    train(inputs[sentence[i]], sentence[at], rate);
                }
            }
        }
    }

    private void train(float[] x, int word, float rate) {
        java.util.Arrays.fill(change, 0);
        for (int target = 0; target <= NEGATIVE; target++) {
            int other = target == 0 ? word : negatives[random.nextInt(negatives.length)];
            if (target > 0 && other == word) {
                continue;
            }
            float[] y = outputs[other];
            float product = 0;
            for (int d = 0; d < SIZE; d++) {
                product += x[d] * y[d];
            }
            float factor = rate * ((target == 0 ? 1 : 0) - (float) (1 / (1 + Math.exp(-product))));
            for (int d = 0; d < SIZE; d++) {
                change[d] += factor * y[d];
                y[d] += factor * x[d];
            }
        }
        for (int d = 0; d < SIZE; d++) {
            x[d] += change[d];
        }
    }
}
