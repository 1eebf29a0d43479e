package io.psf.gpu.shard;

/**
 * The claims of a push by key on the device, which tell the first item of each row.
 *
 * @param table the address of the hash table, zeros before the push; 0 if no key of the push is repeated
 * @param mask the number of its entries, a power of two, minus 1
 */
record Claims(long table, int mask) {
    static final Claims NONE = new Claims(0, 0);

    private static final int LEAST = 64;

    /** Returns the number of entries for the rows of n items: at most half of them are used. */
    static int entriesFor(int n) {
        int entries = LEAST;
        while (entries < 2L * n) {
            entries *= 2;
        }
        return entries;
    }

    boolean there() {
        return table != 0;
    }
}
