package io.psf.runtime.internal.server.shard;

/** Where a thread has keys and the rows of them for a moment, while it looks them up: a tile of them at a time. */
final class Tile {
    private static final ThreadLocal<Tile> OF_THREAD = ThreadLocal.withInitial(Tile::new);

    final long[] keys = new long[RowIndex.TILE];
    final int[] rows = new int[RowIndex.TILE];

    private Tile() {}

    /** Returns the tile of the current thread. */
    static Tile here() {
        return OF_THREAD.get();
    }
}
