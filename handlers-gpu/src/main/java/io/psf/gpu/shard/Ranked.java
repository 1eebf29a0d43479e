package io.psf.gpu.shard;

/**
 * The rows among which some are chosen by their ranks.
 *
 * @param marks the address of the marks of all rows
 * @param keysOfRows the address of their keys
 * @param n the number of rows
 * @param byCount true for the rows that were touched least often, false for those touched least recently
 * @param leftOut the number of the push whose rows stay; -1 for none
 */
record Ranked(long marks, long keysOfRows, int n, boolean byCount, int leftOut) {}
