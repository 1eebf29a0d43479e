package io.psf.runtime.internal.server.shard;

import io.psf.api.PsException;

/** Maps the keys of a shard to its rows. Belongs to the shard's lane. */
interface RowIndex {
    /** The maximum number of keys that are looked up together. */
    int TILE = 512;

    int rows();

    /**
     * Returns the key of a row.
     *
     * @throws IndexOutOfBoundsException if there is no such row
     */
    long key(int row);

    /**
     * Finds the rows of keys. Creates missing rows if the table grows.
     *
     * @param n the number of keys, from the first on, at most {@link #TILE}
     * @param rows filled from {@code at} on
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own, before any row is
     *     created
     */
    void rows(long[] keys, int n, int[] rows, int at);

    /**
     * Finds the rows of keys. Creates no rows.
     *
     * @param n the number of keys, from the first on, at most {@link #TILE}
     * @param rows filled from {@code at} on, with -1 for a key that has no row
     * @return the number of keys that have a row
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own
     */
    int find(long[] keys, int n, int[] rows, int at);
}
