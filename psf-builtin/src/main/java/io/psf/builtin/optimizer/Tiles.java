package io.psf.builtin.optimizer;

/**
 * The heap tiles that an optimizer steps through: loops over memory off the heap are not vectorized by the JIT, loops
 * over tiles are. One set beside each shard, made at the first push and used on its lane.
 */
final class Tiles {
    /** Elements in a tile: with four of them, about as much as a level 1 cache holds. */
    static final int SIZE = 512;

    final float[] w = new float[SIZE];
    final float[] g = new float[SIZE];
    final float[] counts = new float[SIZE];
    private float[][] state = new float[0][];

    /** At least n tiles of state. */
    float[][] state(int n) {
        if (state.length < n) {
            state = new float[n][SIZE];
        }
        return state;
    }
}
