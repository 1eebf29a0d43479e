package io.psf.gpu.shard;

/**
 * A removal whose keys are out of the index. It is finished by the operation that has begun it or, if that fails, by the
 * next one.
 *
 * @param plan what is removed
 * @param before the number of rows before
 * @param hasMoved true if the moves are queued: they must not be repeated when rows are emptied
 */
record Unfinished(Removal plan, int before, boolean hasMoved) {
    Unfinished(Removal plan, int before) {
        this(plan, before, false);
    }

    Unfinished moved() {
        return new Unfinished(plan, before, true);
    }
}
