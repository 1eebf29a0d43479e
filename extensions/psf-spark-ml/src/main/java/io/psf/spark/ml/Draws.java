package io.psf.spark.ml;

import java.util.Arrays;

/** Random numbers of one task, the same for each attempt: the generator of Java's SplittableRandom. Not thread-safe. */
final class Draws {
    private long state;

    Draws(long seed) {
        this.state = seed;
    }

    long next() {
        state += 0x9E3779B97F4A7C15L;
        long bits = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }

    /** Returns a number from 0 to n, exclusive. */
    int below(int n) {
        return (int) ((next() >>> 32) * n >>> 32);
    }

    /** Returns a number of [0, 1). */
    float uniform() {
        return (next() >>> 40) * 0x1p-24f;
    }

    /** The words as negative samples, by their counts to the power 0.75, in constant time: Vose's alias method. */
    static final class Unigrams {
        private static final double POWER = 0.75;

        /** For each word, the words of an equal part of all: the threshold in 32 bits, and the word above it. */
        private final long[] parts;

        private final Vocabulary words;
        private final double total;

        Unigrams(Vocabulary words) {
            this.words = words;
            int n = words.size();
            double[] share = new double[n];
            for (int i = 0; i < n; i++) {
                share[i] = Math.pow((double) words.count(i), POWER);
            }
            total = Arrays.stream(share).sum();
            int[] small = new int[n];
            int[] large = new int[n];
            int smalls = 0;
            int larges = 0;
            for (int i = 0; i < n; i++) {
                share[i] *= n / total;
                if (share[i] < 1) {
                    small[smalls++] = i;
                } else {
                    large[larges++] = i;
                }
            }
            parts = new long[n];
            while (smalls > 0 && larges > 0) {
                int less = small[--smalls];
                int more = large[larges - 1];
                parts[less] = (long) (share[less] * 0x1p31) << 32 | more;
                share[more] -= 1 - share[less];
                if (share[more] < 1) {
                    larges--;
                    small[smalls++] = more;
                }
            }
            while (larges > 0) {
                int word = large[--larges];
                parts[word] = Integer.toUnsignedLong(Integer.MAX_VALUE) << 32 | word;
            }
            while (smalls > 0) {
                int word = small[--smalls];
                parts[word] = Integer.toUnsignedLong(Integer.MAX_VALUE) << 32 | word;
            }
        }

        /** Returns the chance of a word. */
        double share(int word) {
            return Math.pow((double) words.count(word), POWER) / total;
        }

        int draw(Draws draws) {
            long bits = draws.next();
            int word = (int) ((bits >>> 32) * parts.length >>> 32);
            long part = parts[word];
            return (bits & Integer.MAX_VALUE) < part >>> 32 ? word : (int) part;
        }
    }
}
