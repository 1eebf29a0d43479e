package io.psf.gpu.shard;

/**
 * A removal whose keys are out of the index. It is finished by the operation that has begun it or, if that fails, by
 * the next one.
 *
 * @param moves the rows that move
 * @param count the number of rows afterwards
 * @param before the number of rows before
 * @param hasMoved true if the moves are queued: they must not be repeated when rows are emptied
 */
record Unfinished(Moves moves, int count, int before, boolean hasMoved) {
    Unfinished moved() {
        return new Unfinished(moves, count, before, true);
    }
}
