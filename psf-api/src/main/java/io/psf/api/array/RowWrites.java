package io.psf.api.array;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a shard that have been written to, and the keys that have been removed, since they were last taken. The
 * arrays of the shard mark rows ({@link ArrayMemory#marking}), however a function got them. It is off at first, so that
 * a table costs nothing as long as no increment of it is saved. Used on the shard's lane.
 */
public final class RowWrites {
    /** A bit for each row that has been written to; null if it is off. */
    private @Nullable BitSet rows;

    private long[] removed = {};
    private int removals;

    /**
     * What has changed.
     *
     * @param rows a bit for each row that may have changed, by its number now; may have bits beyond the last row
     * @param removed [n] int64, keys that had a row and may have none now, in any order
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    public record Taken(BitSet rows, long[] removed) {}

    /** True if rows are marked. */
    public boolean isOn() {
        return rows != null;
    }

    /** Begins to mark rows. No row is marked yet. */
    public void begin() {
        rows = new BitSet();
        removed = new long[0];
        removals = 0;
    }

    /** Ends marking rows: any row may have changed. */
    public void end() {
        begin();
        rows = null;
    }

    /** Returns what has changed since the last call or {@link #begin}; null if it is off. */
    public @Nullable Taken take() {
        if (rows == null) {
            return null;
        }
        Taken taken = new Taken(rows, Arrays.copyOf(removed, removals));
        begin();
        return taken;
    }

    /** Marks a row. */
    public void mark(int row) {
        if (rows != null) {
            rows.set(row);
        }
    }

    /** Marks the rows from {@code begin} to {@code end}, exclusive. */
    public void mark(int begin, int end) {
        if (rows != null) {
            rows.set(begin, end);
        }
    }

    /**
     * Marks a row as removed.
     *
     * @param key the key of the row
     * @param row its number, which another row has now, unless it was the last one
     */
    public void markRemoved(long key, int row) {
        if (rows != null) {
            rows.set(row);
            if (removals == removed.length) {
                removed = Arrays.copyOf(removed, Math.max(16, 2 * removals));
            }
            removed[removals++] = key;
        }
    }
}
