package io.psf.spark.ml;

import java.util.Arrays;

/** The candidates with the highest ratings, in the order of their ratings. Not thread-safe. */
final class Best {
    private final int most;
    private int[] candidates = {};
    private float[] ratings = {};
    private int n;

    /**
     * Creates an empty list.
     *
     * @param most the most candidates
     */
    Best(int most) {
        this.most = most;
    }

    /** Adds a candidate if it is one of the best. Of equal ratings, the first offered is better. */
    void offer(int candidate, float rating) {
        if (n == most && !(rating > ratings[n - 1])) {
            return;
        }
        int at = place(rating);
        if (n == ratings.length && n < most) {
            candidates = Arrays.copyOf(candidates, Math.min(most, 2 * n + 8));
            ratings = Arrays.copyOf(ratings, candidates.length);
        }
        n = Math.min(most, n + 1);
        System.arraycopy(candidates, at, candidates, at + 1, n - 1 - at);
        System.arraycopy(ratings, at, ratings, at + 1, n - 1 - at);
        candidates[at] = candidate;
        ratings[at] = rating;
    }

    /** Returns the number of ratings that are not below one. */
    private int place(float rating) {
        int low = 0;
        int high = n;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ratings[middle] >= rating) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    int count() {
        return n;
    }

    int candidate(int place) {
        return candidates[place];
    }

    float rating(int place) {
        return ratings[place];
    }
}
