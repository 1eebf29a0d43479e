package io.psf.builtin.sync;

import io.psf.api.array.LongArray;

/** Numbers distinct keys from 0 in the order of their first occurrence: an open-addressed table, never resized. */
final class KeyTable {
    private final long[] keys;
    /** One more than a key's number; 0 where the place is free. */
    private final int[] table;

    private int size;

    /** A table for at most that many keys. */
    KeyTable(int most) {
        keys = new long[most];
        table = new int[Integer.highestOneBit(Math.max(4, Math.min(most, 1 << 28))) << 2];
    }

    /** The number of a key, a new one if the key is new. */
    int index(long key) {
        int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (table.length - 1);
        while (table[at] != 0 && keys[table[at] - 1] != key) {
            at = (at + 1) & (table.length - 1);
        }
        if (table[at] == 0) {
            keys[size++] = key;
            table[at] = size;
        }
        return table[at] - 1;
    }

    int size() {
        return size;
    }

    /** The keys, [size], in the order of their numbers. */
    LongArray keys() {
        return LongArray.wrap(keys, 0, size);
    }
}
