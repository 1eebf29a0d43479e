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

    Generators generator() {
        return initial == null || initial.isZero() ? NONE : initial;
    }
}
