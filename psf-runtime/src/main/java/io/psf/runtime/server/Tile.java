package io.psf.runtime.server;

/** A buffer for one tile of keys and their rows. Used by one thread at a time. */
final class Tile {
    final long[] keys = new long[RowIndex.TILE];
    final int[] rows = new int[RowIndex.TILE];
}
