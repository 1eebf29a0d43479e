package io.psf.runtime.server.shard;

/** Where keys and the rows that they have lie for a moment, a tile of them at a time. Used by one thread at a time. */
public final class Tile {
    final long[] keys = new long[RowIndex.TILE];
    final int[] rows = new int[RowIndex.TILE];
}
