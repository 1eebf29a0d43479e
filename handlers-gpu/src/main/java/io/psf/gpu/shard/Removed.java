package io.psf.gpu.shard;

import io.psf.api.array.LongArray;
import java.util.function.Consumer;

/**
 * The rows that a removal has removed, as attachments are notified of them: the last row takes the number of each
 * removed row, one after the other. The moves are the result of all of them, in any order.
 *
 * @param number the number of rows removed
 * @param tail the number of rows afterwards
 * @param from the numbers before of the rows that have moved, each at least {@code tail}; empty if nobody is told
 * @param to their numbers afterwards, in the same order
 * @param keysOfHoles the keys of the rows that had the numbers {@code to}
 * @param keysOfTail the keys of the rows from {@code tail} on, before
 */
@SuppressWarnings("ArrayRecordComponent") // removals are not compared
record Removed(int number, int tail, int[] from, int[] to, long[] keysOfHoles, long[] keysOfTail) {
    private static final int[] NO_ROWS = {};
    private static final long[] NO_KEYS = {};

    /** Returns a removal of which nobody is told. */
    static Removed silent(int number, int tail) {
        return new Removed(number, tail, NO_ROWS, NO_ROWS, NO_KEYS, NO_KEYS);
    }

    /** Receives the removal of a row. */
    @FunctionalInterface
    interface Listener {
        /** Receives it, as {@link io.psf.api.RowListener#rowRemoved}. */
        void rowRemoved(long key, int row, int last);
    }

    /**
     * Tells the rows from the last one on: the row of that number has gone itself, or has taken the number of another
     * one.
     */
    void tell(Listener rows, Consumer<LongArray> keys) {
        int n = keysOfTail.length;
        int[] moveOf = new int[n];
        for (int i = 0; i < from.length; i++) {
            moveOf[from[i] - tail] = i + 1;
        }
        long[] gone = new long[n];
        for (int i = n - 1; i >= 0; i--) {
            int last = tail + i;
            int move = moveOf[i] - 1;
            gone[i] = move < 0 ? keysOfTail[i] : keysOfHoles[move];
            rows.rowRemoved(gone[i], move < 0 ? last : to[move], last);
        }
        if (n > 0) {
            keys.accept(LongArray.wrap(gone));
        }
    }
}
