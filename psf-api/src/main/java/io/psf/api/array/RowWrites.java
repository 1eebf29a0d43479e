package io.psf.api.array;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a shard that have been written to, and the keys that have been removed, since they were last taken. The
 * arrays of the shard mark rows ({@link ArrayMemory#marking}), however a function got them, each before it is written
 * to. It is off at first, so that a table costs nothing as long as no increment of it is saved. Used on the shard's
 * lane.
 */
public final class RowWrites {
    private static final long[] NONE = {};

    /** A bit for each row that has been written to; null if it is off. */
    private long @Nullable [] marks;

    private final List<ColumnWrites> columns = new ArrayList<>(0);
    private long[] removed = NONE;
    private int removals;
    /** Learns of rows before they are written to; null for nobody. */
    private @Nullable Watcher watcher;

    /** Learns of rows before they are written to. It may read rows, and writes to none. */
    public interface Watcher {
        /** Called before the rows from {@code begin} to {@code end}, exclusive, are written to or removed. */
        void before(int begin, int end);
    }

    /**
     * The rows and keys that have changed.
     *
     * @param rows a bit for each row that may have changed, by its number now; may have bits beyond the last row
     * @param removed [n] int64, keys that had a row and may have none now, in any order
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    public record Taken(BitSet rows, long[] removed) {}

    void add(ColumnWrites column) {
        columns.add(column);
        column.reset();
    }

    /** True if rows are marked or watched. */
    public boolean isOn() {
        return marks != null || watcher != null;
    }

    /** True if rows are watched. */
    public boolean isWatched() {
        return watcher != null;
    }

    /** Tells of rows before they are written to. An earlier watcher is told that all rows may be, and of no more. */
    public void watch(Watcher next) {
        tellAll();
        watcher = next;
        columns.forEach(ColumnWrites::reset);
    }

    /** Tells a watcher of no more rows. */
    public void endWatch(Watcher last) {
        if (last.equals(watcher)) {
            watcher = null;
            columns.forEach(ColumnWrites::reset);
        }
    }

    private void tell(int begin, int end) {
        if (watcher != null) {
            watcher.before(begin, end);
        }
    }

    private void tellAll() {
        tell(0, Integer.MAX_VALUE);
    }

    /** Begins to mark rows. No row is marked yet. */
    public void begin() {
        set(new long[0]);
    }

    private void set(long @Nullable [] now) {
        marks = now;
        removed = NONE;
        removals = 0;
        columns.forEach(ColumnWrites::reset);
    }

    /** Ends marking rows: any row may have changed. */
    public void end() {
        tellAll();
        set(null);
    }

    /** Returns what has changed since the last call or {@link #begin}; null if rows are not marked. */
    public @Nullable Taken take() {
        if (marks == null) {
            return null;
        }
        Taken taken = new Taken(BitSet.valueOf(marks), Arrays.copyOf(removed, removals));
        begin();
        return taken;
    }

    /** Marks a row. */
    public void mark(int row) {
        mark(row, row + 1);
    }

    /** Marks rows of a part that begins with a row, [n] of them, each below {@code limit} in the part. */
    void mark(int[] some, int from, int n, int limit, int begin) {
        if (watcher != null) {
            for (int i = from; i < from + n; i++) {
                int row = begin + Objects.checkIndex(some[i], limit);
                tell(row, row + 1);
            }
        }
        if (marks != null) {
            long[] all = marksOf(begin + limit);
            for (int i = from; i < from + n; i++) {
                int row = begin + Objects.checkIndex(some[i], limit);
                all[row >> 6] |= 1L << row;
            }
        }
    }

    /** Returns the marks, with a bit for each of so many rows. */
    private long[] marksOf(int rows) {
        long[] all = Objects.requireNonNull(marks);
        int words = (rows + Long.SIZE - 1) / Long.SIZE;
        if (words > all.length) {
            all = Arrays.copyOf(all, Math.max(words, all.length + all.length / 2));
            marks = all;
        }
        return all;
    }

    /** Marks the rows from {@code begin} to {@code end}, exclusive. */
    public void mark(int begin, int end) {
        tell(begin, end);
        if (marks != null) {
            long[] all = marksOf(end);
            for (int row = begin; row < end; row = (row | Long.SIZE - 1) + 1) {
                int n = Math.min(Long.SIZE - row % Long.SIZE, end - row); // the bits of one word
                all[row / Long.SIZE] |= -1L >>> Long.SIZE - n << row;
            }
        }
    }

    /**
     * Marks a row as removed.
     *
     * @param key the key of the row
     * @param row its number, which another row has now, unless it was the last one
     */
    public void markRemoved(long key, int row) {
        if (marks != null) {
            mark(row);
            if (removals == removed.length) {
                removed = Arrays.copyOf(removed, Math.max(16, 2 * removals));
            }
            removed[removals++] = key;
        }
    }
}
