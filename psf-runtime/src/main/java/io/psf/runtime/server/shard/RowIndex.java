package io.psf.runtime.server.shard;

import io.psf.api.PsException;

/** Which row of a shard has which key. Belongs to the shard's lane. */
interface RowIndex {
    /** The most keys that are looked for together. */
    int TILE = 512;

    /** How many rows there are. */
    int rows();

    /**
     * The key of a row.
     *
     * @throws IndexOutOfBoundsException if there is no such row
     */
    long key(int row);

    /**
     * Finds the rows of some keys, and makes those that are not there if the table grows.
     *
     * @param n how many keys, from the first on, at most {@link #TILE}
     * @param rows filled from {@code at} on
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own, before any row is made
     */
    void rows(long[] keys, int n, int[] rows, int at);

    /**
     * Finds the rows of some keys, and makes none.
     *
     * @param n how many keys, from the first on, at most {@link #TILE}
     * @param rows filled from {@code at} on, with -1 for a key that has no row
     * @return how many of them have a row
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own
     */
    int find(long[] keys, int n, int[] rows, int at);
}
