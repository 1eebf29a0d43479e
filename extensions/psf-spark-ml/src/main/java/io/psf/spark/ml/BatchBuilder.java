package io.psf.spark.ml;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Makes batches of rows. Not thread-safe. */
final class BatchBuilder {
    /** An open-addressed table: 1 + the number of a key in the order of first occurrence; 0 for none. */
    private int[] table = new int[1 << 10];

    private long[] found = new long[1 << 9];
    private int distinct;

    /** Returns all rows as one batch. */
    Batch build(Rows rows) {
        long[] order = new long[rows.rows()];
        Arrays.setAll(order, row -> row);
        return build(new Rows[] {rows}, order, 0, order.length);
    }

    /**
     * Returns a batch of some rows.
     *
     * @param order the rows, each the number of its chunk, shifted by 32, and its number within the chunk
     */
    Batch build(Rows[] chunks, long[] order, int from, int to) {
        int entries = 0;
        boolean hasValues = false;
        for (int i = from; i < to; i++) {
            Rows chunk = chunks[(int) (order[i] >>> 32)];
            int row = (int) order[i];
            entries += chunk.end(row) - chunk.begin(row);
            hasValues |= chunk.values() != null;
        }
        float[] labels = new float[to - from];
        float[] importance = new float[to - from];
        int[] ends = new int[to - from];
        int[] slots = new int[entries];
        float[] values = hasValues ? new float[entries] : null;
        begin(entries);
        int at = 0;
        for (int i = from; i < to; i++) {
            Rows chunk = chunks[(int) (order[i] >>> 32)];
            int row = (int) order[i];
            int begin = chunk.begin(row);
            int end = chunk.end(row);
            copyValues(chunk.values(), begin, end, values, at);
            long[] keys = chunk.keys();
            for (int entry = begin; entry < end; entry++) {
                slots[at++] = number(keys[entry]);
            }
            labels[i - from] = chunk.label(row);
            importance[i - from] = chunk.importance(row);
            ends[i - from] = at;
        }
        return new Batch(labels, importance, ends, inOrder(slots), slots, values);
    }

    private static void copyValues(float @Nullable [] from, int begin, int end, float @Nullable [] to, int at) {
        if (to != null && from != null) {
            System.arraycopy(from, begin, to, at, end - begin);
        } else if (to != null) {
            Arrays.fill(to, at, at + end - begin, 1);
        }
    }

    private void begin(int entries) {
        int size = Integer.highestOneBit(Math.max(1, entries)) << 2;
        if (size > table.length) {
            table = new int[size];
        } else {
            Arrays.fill(table, 0);
        }
        if (found.length < entries) {
            found = new long[entries];
        }
        distinct = 0;
    }

    private int number(long key) {
        int mask = table.length - 1;
        int at = (int) Mix.hash(key) & mask;
        while (table[at] != 0) {
            if (found[table[at] - 1] == key) {
                return table[at] - 1;
            }
            at = (at + 1) & mask;
        }
        found[distinct] = key;
        table[at] = ++distinct;
        return distinct - 1;
    }

    /** Returns the keys, ascending, and numbers the entries by that order. */
    private long[] inOrder(int[] slots) {
        long[] keys = Arrays.copyOf(found, distinct);
        Arrays.sort(keys);
        int[] numbers = new int[distinct];
        for (int i = 0; i < distinct; i++) {
            numbers[number(keys[i])] = i;
        }
        for (int i = 0; i < slots.length; i++) {
            slots[i] = numbers[slots[i]];
        }
        return keys;
    }
}
