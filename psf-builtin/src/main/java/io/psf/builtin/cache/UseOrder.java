package io.psf.builtin.cache;

import java.util.Arrays;

/**
 * The order in which the lines of a cache are evicted: by level, and within a level the least recently added first. A
 * line's level is its number of uses, up to the highest level. Each operation takes constant time, with one list for
 * each level (Shah, Mitra and Matani, "An O(1) algorithm for implementing the LFU cache eviction scheme", 2010).
 *
 * <p>With one level it is LRU, with many LFU. With 11 it is HET's LFU-opt: a line with 10 uses is permanent, its level
 * stays the same, and it is evicted if only permanent lines are left.
 */
final class UseOrder {
    private final int lines;
    private final int levels;
    /** The next line in the circular list of a level; -1 for a line that is in none. Heads follow the lines. */
    private final int[] next;

    private final int[] previous;
    /** A bit for each level, set if the level has a line. */
    private final long[] occupied;

    UseOrder(int lines, int levels) {
        this.lines = lines;
        this.levels = levels;
        this.next = new int[lines + levels];
        this.previous = new int[lines + levels];
        this.occupied = new long[(levels + Long.SIZE - 1) / Long.SIZE];
        Arrays.fill(next, 0, lines, -1);
        for (int head = lines; head < next.length; head++) {
            next[head] = head;
            previous[head] = head;
        }
    }

    /** True if the line may be evicted. */
    boolean has(int line) {
        return next[line] >= 0;
    }

    /** Adds a line that is not in the order, as the most recent one of its level. */
    void add(int line, int uses) {
        int level = Math.min(uses, levels - 1);
        int head = lines + level;
        int last = previous[head];
        next[last] = line;
        previous[line] = last;
        next[line] = head;
        previous[head] = line;
        occupied[level >>> 6] |= 1L << level;
    }

    /** Removes a line that was added with the same number of uses. */
    void remove(int line, int uses) {
        int before = previous[line];
        int after = next[line];
        next[before] = after;
        previous[after] = before;
        next[line] = -1;
        if (before == after) { // only the head is left
            int level = Math.min(uses, levels - 1);
            occupied[level >>> 6] &= ~(1L << level);
        }
    }

    /** Returns the line that is evicted next; -1 if there is none. */
    int first() {
        for (int i = 0; i < occupied.length; i++) {
            if (occupied[i] != 0) {
                return next[lines + i * Long.SIZE + Long.numberOfTrailingZeros(occupied[i])];
            }
        }
        return -1;
    }
}
