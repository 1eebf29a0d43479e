package io.psf.examples.demo;

import java.util.Random;

/** Random permutations that are the same in every process. */
public final class Shuffle {
    private Shuffle() {}

    /** Returns the numbers 0 to n - 1 in an order that depends only on the seed (Fisher and Yates). */
    public static int[] order(int n, long seed) {
        Random random = new Random(seed);
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
