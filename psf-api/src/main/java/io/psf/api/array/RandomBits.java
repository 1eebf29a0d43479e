package io.psf.api.array;

/**
 * A sequence of random bits for stochastic rounding: a linear congruential generator (Knuth's MMIX constants), of which
 * the upper bits are used. The same sequence in each run. Not thread-safe.
 */
final class RandomBits {
    private long state;

    RandomBits(long seed) {
        this.state = seed;
    }

    /** Returns the next number from 0 to 65535. */
    int next16() {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) (state >>> 48);
    }
}
