package io.psf.builtin.cache;

import java.util.Arrays;

/**
 * The lines of keys: a hash table with linear probing, at most half full. A removal closes the gap (Knuth's algorithm
 * R), so that there are no tombstones.
 */
final class CacheIndex {
    private final long[] keys;
    /** The line of the key in each place, -1 for an empty place. */
    private final int[] lines;

    private final int mask;
    private final int shift;

    /**
     * Creates an index without keys.
     *
     * @param most the largest number of keys, at most 2^29 - 1
     */
    CacheIndex(int most) {
        int places = Integer.highestOneBit(Math.max(1, most)) << 2;
        this.keys = new long[places];
        this.lines = new int[places];
        this.mask = places - 1;
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(places);
        Arrays.fill(lines, -1);
    }

    private int place(long key) {
        long mixed = (key ^ (key >>> 32)) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> shift);
    }

    /** Returns the line of a key; -1 if there is none. */
    int find(long key) {
        int at = place(key);
        while (lines[at] >= 0 && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return lines[at];
    }

    /** Adds a key that is not in the index. */
    void add(long key, int line) {
        int at = place(key);
        while (lines[at] >= 0) {
            at = (at + 1) & mask;
        }
        keys[at] = key;
        lines[at] = line;
    }

    /** Removes a key that is in the index. */
    void remove(long key) {
        int gap = place(key);
        while (keys[gap] != key || lines[gap] < 0) {
            gap = (gap + 1) & mask;
        }
        for (int at = (gap + 1) & mask; lines[at] >= 0; at = (at + 1) & mask) {
            int home = place(keys[at]);
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                keys[gap] = keys[at];
                lines[gap] = lines[at];
                gap = at;
            }
        }
        lines[gap] = -1;
    }
}
