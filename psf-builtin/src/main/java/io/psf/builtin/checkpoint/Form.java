package io.psf.builtin.checkpoint;

/**
 * How a shard file lists its rows.
 *
 * @param hashed true if it has the hashes of its rows, so that a later save may build on it
 * @param bases the number of files that it builds on: 0 if it has all rows
 * @param removed the number of keys that it lists as removed
 */
record Form(boolean hashed, int bases, long removed) {
    /** The form of a file that has all rows, without hashes. */
    static final Form PLAIN = new Form(false, 0, 0);
}
