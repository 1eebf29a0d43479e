package io.psf.builtin.cache;

import io.psf.api.array.FloatArray;
import java.util.Arrays;

/**
 * The lines of a cache. A line has a key, its row with the version, and the sum of the updates that have not been sent.
 * All memory is allocated at the start: for each line 8 bytes for each float of a row, and 60 to 84 bytes.
 *
 * <p>A line that is pinned is not evicted. The user of the lines pins the lines that an operation needs, at most all of
 * them, and unpins them at its end.
 */
final class Lines {
    /** The version of a line whose row has not been received. */
    static final long NONE = -1;

    private final int width;
    private final CacheIndex index;
    private final UseOrder order;
    private final long[] keys;
    private final long[] versions;
    private final float[] rows;
    private final float[] unsent;
    /** The number of updates in the unsent sum of each line. */
    private final int[] updates;

    private final int[] uses;
    private final int[] pinned;
    private int pins;
    private int size;

    Lines(int lines, int width, int levels) {
        this.width = width;
        this.index = new CacheIndex(lines);
        this.order = new UseOrder(lines, levels);
        this.keys = new long[lines];
        this.versions = new long[lines];
        this.rows = new float[lines * width];
        this.unsent = new float[lines * width];
        this.updates = new int[lines];
        this.uses = new int[lines];
        this.pinned = new int[lines];
    }

    /** Returns the number of lines that have a key. Their numbers are below it. */
    int size() {
        return size;
    }

    int capacity() {
        return keys.length;
    }

    /** Returns the line of a key; -1 if there is none. */
    int find(long key) {
        return index.find(key);
    }

    /** Returns the line that {@link #insert} takes: a new one, or the line that is evicted next. */
    int victim() {
        return size < keys.length ? size : order.first();
    }

    /** Gives the victim to a key that has no line, without a row, and pins it. */
    void insert(int victim, long key) {
        if (victim == size) {
            size++;
        } else {
            order.remove(victim, uses[victim]);
            index.remove(keys[victim]);
        }
        index.add(key, victim);
        keys[victim] = key;
        versions[victim] = NONE;
        uses[victim] = 0;
        clearUnsent(victim);
        pinned[pins++] = victim;
    }

    /** Pins a line. Pinning it again has no effect. */
    void pin(int line) {
        if (order.has(line)) {
            order.remove(line, uses[line]);
            pinned[pins++] = line;
        }
    }

    /** Returns the number of pinned lines. */
    int pins() {
        return pins;
    }

    /** Returns a pinned line, in the order of pinning. */
    int pinned(int i) {
        return pinned[i];
    }

    /** Unpins all lines. They are the most recent ones of their levels. */
    void unpin() {
        for (int i = 0; i < pins; i++) {
            order.add(pinned[i], uses[pinned[i]]);
        }
        pins = 0;
    }

    /** Counts a use of a pinned line. */
    void use(int line) {
        if (uses[line] < Integer.MAX_VALUE) {
            uses[line]++;
        }
    }

    long key(int line) {
        return keys[line];
    }

    /** Returns the version of the line's row; {@link #NONE} if it has not been received. */
    long version(int line) {
        return versions[line];
    }

    void setVersion(int line, long version) {
        versions[line] = version;
    }

    /** Returns the number of updates in the unsent sum. */
    int updates(int line) {
        return updates[line];
    }

    void copyRow(int line, float[] into, int at) {
        System.arraycopy(rows, line * width, into, at, width);
    }

    void copyUnsent(int line, float[] into, int at) {
        System.arraycopy(unsent, line * width, into, at, width);
    }

    void clearUnsent(int line) {
        if (updates[line] > 0) {
            Arrays.fill(unsent, line * width, (line + 1) * width, 0);
            updates[line] = 0;
        }
    }

    /** Replaces the row of a line. Adds {@code scale} times the unsent sum to it, unless the scale is 0. */
    void setRow(int line, long version, FloatArray values, int from, float scale) {
        versions[line] = version;
        values.copyTo(from, rows, line * width, width);
        if (scale != 0 && updates[line] > 0) {
            for (int i = line * width; i < (line + 1) * width; i++) {
                rows[i] += scale * unsent[i];
            }
        }
    }

    /** Adds an update to the unsent sum, and {@code scale} times the update to the row, unless the scale is 0. */
    void update(int line, float[] gradients, int from, float scale) {
        int begin = line * width;
        for (int i = 0; i < width; i++) {
            unsent[begin + i] += gradients[from + i];
        }
        if (scale != 0) {
            for (int i = 0; i < width; i++) {
                rows[begin + i] += scale * gradients[from + i];
            }
        }
        updates[line]++;
    }
}
