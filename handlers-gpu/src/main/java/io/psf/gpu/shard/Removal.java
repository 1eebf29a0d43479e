package io.psf.gpu.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The removal of rows: the last row takes the number of each removed row, one after the other, so that rows are numbered
 * without gaps. The moves are the result of all of them, and can be made at once: no row is both moved and overwritten.
 *
 * @param count the number of rows afterwards
 * @param from the numbers before of the rows that move
 * @param to their numbers afterwards, in the same order
 * @param removed what attachments are told, in order
 */
record Removal(int count, int[] from, int[] to, List<Removed> removed) {
    /**
     * The removal of one row.
     *
     * @param item the index of its key
     * @param row its number at that time, which the last row takes
     * @param last the last row's number at that time
     */
    record Removed(int item, int row, int last) {}

    /**
     * Plans a removal.
     *
     * @param rows [n], the rows to remove, each once, by item; negative for an item without a row
     * @param count the number of rows before
     */
    static Removal of(int[] rows, int count) {
        Map<Integer, Integer> contentOf = new HashMap<>(); // of a number: the row that has it now, if it is another
        Map<Integer, Integer> numberOf = new HashMap<>(); // the inverse
        List<Removed> removed = new ArrayList<>();
        int left = count;
        for (int item = 0; item < rows.length; item++) {
            if (rows[item] < 0) {
                continue;
            }
            int row = numberOf.getOrDefault(rows[item], rows[item]);
            int last = --left;
            int moved = contentOf.getOrDefault(last, last);
            contentOf.remove(last);
            if (row != last) {
                contentOf.put(row, moved);
                numberOf.put(moved, row);
            }
            removed.add(new Removed(item, row, last));
        }
        int[] from = new int[contentOf.size()];
        int[] to = new int[contentOf.size()];
        int n = 0;
        for (Map.Entry<Integer, Integer> each : contentOf.entrySet()) {
            to[n] = each.getKey();
            from[n++] = each.getValue();
        }
        return new Removal(left, from, to, removed);
    }
}
