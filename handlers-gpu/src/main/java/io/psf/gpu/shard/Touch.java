package io.psf.gpu.shard;

/**
 * The marks that a push writes to its rows.
 *
 * @param marks the address of the marks of all rows
 * @param step the number of the push
 * @param second the second, since 2020
 */
record Touch(long marks, int step, int second) {}
