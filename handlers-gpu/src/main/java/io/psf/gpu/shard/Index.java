package io.psf.gpu.shard;

/**
 * The index of a growing table.
 *
 * @param entries the entries, one more than the mask and one for the key of tag 0
 * @param mask the number of entries that are probed, a power of two, minus 1
 */
record Index(long entries, long mask) {}
