package io.psf.gpu.shard;

/**
 * The items of a pull that a kernel copies: {@code [first, first + n)} of all keys.
 *
 * @param keys the address of all keys
 * @param all the number of all keys
 */
record Items(long keys, int all, int first, int n) {}
