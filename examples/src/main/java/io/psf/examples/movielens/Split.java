package io.psf.examples.movielens;

import io.psf.examples.data.Rating;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Ratings, split 90 to 10. The split is the same in every process.
 *
 * @param train the training part
 * @param test the held-out part
 * @param mean the mean number of stars in the training part
 */
record Split(List<Rating> train, List<Rating> test, double mean) {
    private static final long SEED = 17;

    static Split of(List<Rating> ratings) {
        List<Rating> shuffled = shuffled(ratings, SEED);
        int cut = (int) (shuffled.size() * 0.9);
        List<Rating> train = shuffled.subList(0, cut);
        double mean = train.stream().mapToDouble(Rating::stars).average().orElse(0);
        return new Split(train, shuffled.subList(cut, shuffled.size()), mean);
    }

    /**
     * Returns the training part of one worker. All have the same size, so that all workers tick equally often. The
     * remaining ratings, at most {@code workers - 1}, are not used.
     */
    List<Rating> portion(int rank, int workers) {
        int each = train.size() / workers;
        return train.subList(rank * each, (rank + 1) * each);
    }

    static List<Rating> shuffled(List<Rating> ratings, long seed) {
        List<Rating> shuffled = new ArrayList<>(ratings);
        Collections.shuffle(shuffled, new Random(seed));
        return shuffled;
    }
}
