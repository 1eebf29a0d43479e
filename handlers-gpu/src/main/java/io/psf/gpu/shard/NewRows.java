package io.psf.gpu.shard;

import org.jspecify.annotations.Nullable;

/**
 * The rows that a call may create.
 *
 * @param keys the address of the rows' keys
 * @param of the rows' values
 * @param most the most rows that there may be afterwards; {@link #ANY} if the call cannot create more
 * @param initial their initial values; null leaves them zeros
 */
record NewRows(long keys, Rows of, int most, @Nullable Generators initial) {
    /** The most rows of a call that cannot exceed them. */
    static final int ANY = Integer.MAX_VALUE;

    /** Zeros, which memory without rows has. */
    private static final Generators NONE = new Generators(-1, 0, 0, 0, 0, 0);

    /** The keys of a call that leaves multiprocessors idle, if each thread has one. */
    private static final int FEW = 1 << 14;

    /**
     * Returns the number of threads of which one has a key. A warp computes the initial values of all rows that its
     * threads create, one after the other: few keys are spread over more warps.
     */
    int spread(int n) {
        return n <= FEW && generator().kind() >= 0 ? 8 : 1;
    }

    Generators generator() {
        return initial == null || initial.isZero() ? NONE : initial;
    }
}
