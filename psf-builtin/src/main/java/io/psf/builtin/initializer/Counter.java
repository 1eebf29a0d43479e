package io.psf.builtin.initializer;

/**
 * A counter-based generator: a draw is a function of seed, element and draw number alone, so that no order of drawing
 * and no slicing of a tensor changes it.
 *
 * <p>The mixing is that of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA
 * 2014, figure 17) with the constants of Stafford's variant 13; each element has its own stream, begun at a hash of the
 * element in the stream of the seed.
 */
final class Counter {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final double STEP = 0x1.0p-52;

    private Counter() {}

    /** The stream of a seed, for {@link #stream}. */
    static long key(long seed) {
        return mix(seed + GAMMA);
    }

    /** Where the draws of an element begin. */
    static long stream(long key, long element) {
        return mix(key + (element + 1) * GAMMA);
    }

    /** Draw number {@code draw} of a stream, uniform in the open interval (0, 1). */
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
