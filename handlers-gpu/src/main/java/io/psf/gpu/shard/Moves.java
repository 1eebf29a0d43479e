package io.psf.gpu.shard;

/**
 * The rows that take the numbers of removed ones.
 *
 * @param from the address of their numbers before
 * @param to the address of their numbers afterwards
 * @param n how many there are
 */
record Moves(long from, long to, int n) {
    static final Moves NONE = new Moves(0, 0, 0);
}
