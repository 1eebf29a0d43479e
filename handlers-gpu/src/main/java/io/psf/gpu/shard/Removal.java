package io.psf.gpu.shard;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The removal of rows: the last row takes the number of each removed row, one after the other, so that rows are numbered
 * without gaps. The moves are the result of all of them, and can be made at once: no row is both moved and overwritten.
 *
 * @param count the number of rows afterwards
 * @param from the numbers before of the rows that move, ascending
 * @param to their numbers afterwards, in the same order
 * @param items what attachments are told, in order: the index of each removed row's key
 * @param rows the number of each removed row at that time
 * @param lasts the number of the last row at that time, which takes that of the removed row
 */
record Removal(int count, int[] from, int[] to, int[] items, int[] rows, int[] lasts) {
    private static final int REMOVED = -1;

    /**
     * Returns the rows of items, -1 for an item that repeats the row of an earlier one.
     *
     * @param rows [n], by item; negative for an item without a row; changed
     * @param count the number of rows
     */
    static int[] once(int[] rows, int count) {
        BitSet seen = new BitSet(count);
        for (int item = 0; item < rows.length; item++) {
            int row = rows[item];
            if (row >= 0 && seen.get(row)) {
                rows[item] = REMOVED;
            } else if (row >= 0) {
                seen.set(row);
            }
        }
        return rows;
    }

    /**
     * Plans a removal.
     *
     * @param rows [n], the rows to remove, each once, by item; negative for an item without a row
     * @param count the number of rows before
     */
    static Removal of(int[] rows, int count) {
        int n = (int) Arrays.stream(rows).filter(row -> row >= 0).count();
        int tail = count - n; // the rows from here on move, or are removed
        int[] numberOf = new int[n]; // of the rows of the tail: their number now, or REMOVED
        int[] contentOf = new int[n]; // of the numbers of the tail: the row that has it now
        for (int i = 0; i < n; i++) {
            numberOf[i] = tail + i;
            contentOf[i] = tail + i;
        }
        int[] items = new int[n];
        int[] numbers = new int[n];
        int[] lasts = new int[n];
        int done = 0;
        for (int item = 0; item < rows.length; item++) {
            int removed = rows[item];
            if (removed < 0) {
                continue;
            }
            int number = removed < tail ? removed : numberOf[removed - tail];
            int last = count - 1 - done;
            int moved = contentOf[last - tail];
            if (number >= tail) {
                contentOf[number - tail] = moved;
            }
            numberOf[moved - tail] = number;
            if (removed >= tail) {
                numberOf[removed - tail] = REMOVED;
            }
            items[done] = item;
            numbers[done] = number;
            lasts[done++] = last;
        }
        int moves = (int)
                Arrays.stream(numberOf).filter(number -> number != REMOVED).count();
        int[] from = new int[moves];
        int[] to = new int[moves];
        int move = 0;
        for (int i = 0; i < n; i++) {
            if (numberOf[i] != REMOVED) {
                from[move] = tail + i;
                to[move++] = numberOf[i];
            }
        }
        return new Removal(tail, from, to, items, numbers, lasts);
    }
}
