package io.psf.builtin.initializer;

/**
 * A counter-based random number generator. A draw is a function of the seed, the element and the draw's number only, so
 * it does not depend on the order of draws or on how the tensor is sliced.
 *
 * <p>The mixing function is SplitMix64's (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA
 * 2014, figure 17) with the constants of Stafford's variant 13; Each element has its own stream, which starts at a hash
 * of the element in the stream of the seed.
 */
final class Counter {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final double STEP = 0x1.0p-52;

    private Counter() {}

    /** Returns the stream of a seed, for {@link #stream}. */
    static long key(long seed) {
        return mix(seed + GAMMA);
    }

    /** Returns the stream of an element's draws. */
    static long stream(long key, long element) {
        return mix(key + (element + 1) * GAMMA);
    }

    /** Returns draw number {@code draw} of a stream, uniform in the open interval (0, 1). */
    static double uniform(long stream, int draw) {
        long bits = mix(stream + (draw + 1L) * GAMMA);
        return ((bits >>> 12) + 0.5) * STEP;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
