package io.psf.gpu.shard;

/**
 * What a push writes into the marks of its rows.
 *
 * @param marks the address of the marks of all rows
 * @param step the number of the push
 * @param second the second, since 2020
 */
record Touch(long marks, int step, int second) {}
