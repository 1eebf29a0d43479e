package io.psf.gpu.shard;

/**
 * The size of the benchmarks: that of a card, or a small one for a test on the host, by the property {@code
 * psf.gpu.small}.
 */
final class Size {
    static final boolean IS_SMALL = Boolean.getBoolean("psf.gpu.small");

    private static final int SHIFT = IS_SMALL ? 10 : 0;

    private Size() {}

    /** Returns a number of items or rows, which is a power of two. */
    static int of(int onACard) {
        return Math.max(1, onACard >> SHIFT);
    }

    /** Returns a number of bytes. */
    static long of(long onACard) {
        return Math.max(1 << 10, onACard >> SHIFT);
    }

    /** Returns how often something is done. */
    static int times(int onACard) {
        return IS_SMALL ? Math.min(2, onACard) : onACard;
    }
}
