package io.psf.builtin.policy;

import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Marks in the heap of the server. */
final class HostMarks implements MarkMemory {
    /** The rows of a chunk: memory is taken and freed by chunks, so that it is near what the rows need. */
    private static final int CHUNK = 256;

    /**
     * The most bytes beyond the rows' bytes: less than a chunk after growing, and one chunk more after rows were
     * removed.
     */
    static final long MOST_SPARE = 2L * CHUNK * RowMarks.BYTES_OF_ROW;

    /** A chunk without memory. */
    private static final int[] NONE = {};

    private final Shard shard;
    /** By chunk of rows, then by row: step, second and count. */
    private int[][] chunks = {};
    /** The number of chunks that have memory: the first ones. */
    private int taken;
    /** The number of rows that have marks. */
    private int known;

    HostMarks(Shard shard) {
        this.shard = shard;
    }

    @Override
    public long bytes() {
        return (long) RowMarks.BYTES_OF_ROW * CHUNK * taken;
    }

    @Override
    public int rows() {
        return known;
    }

    @Override
    public void clear() {
        known = 0;
        taken = 0;
        chunks = new int[0][];
        count(0);
    }

    private void count(long more) {
        if (shard instanceof StoredShard stored) {
            stored.countAttachments(more);
        }
    }

    @Override
    public void growTo(int rows, int step, int second) {
        while (taken * (long) CHUNK < rows) {
            if (taken == chunks.length) {
                chunks = Arrays.copyOf(chunks, Math.max(8, 2 * taken));
            }
            count((long) RowMarks.BYTES_OF_ROW * CHUNK);
            chunks[taken++] = new int[MARKS * CHUNK];
        }
        for (; known < rows; known++) {
            set(known, step, second, 1);
        }
    }

    private int[] chunk(int row) {
        return chunks[row / CHUNK];
    }

    /** Returns the place of a row's marks in its chunk. */
    private static int at(int row) {
        return row % CHUNK * MARKS;
    }

    private void set(int row, int step, int second, int count) {
        int[] chunk = chunk(row);
        int at = at(row);
        chunk[at + STEP] = step;
        chunk[at + SECOND] = second;
        chunk[at + COUNT] = count;
    }

    @Override
    public int touch(LongArray keys, int @Nullable [] into, int step, int second) {
        int n = keys.length();
        int[] rows = into == null ? new int[n] : into;
        int missing = n - shard.find(keys, rows);
        for (int i = 0; i < n; i++) {
            if (rows[i] >= 0) {
                int count = chunk(rows[i])[at(rows[i]) + COUNT];
                set(rows[i], step, second, count == Integer.MAX_VALUE ? count : count + 1);
                shard.changed(rows[i]);
            }
        }
        return missing;
    }

    @Override
    public void lower(int by) {
        for (int row = 0; row < known; row++) {
            chunk(row)[at(row) + STEP] = Math.max(0, chunk(row)[at(row) + STEP] - by);
            shard.changed(row);
        }
    }

    /** Returns the rank of a row, by its place in a chunk, among the rows that may be removed: lower ranks go first. */
    private static long rank(int[] chunk, int at, boolean byCount) {
        return byCount ? (long) chunk[at + COUNT] << Integer.SIZE | chunk[at + STEP] : chunk[at + STEP];
    }

    /** Counts the digits of the ranks. Returns the number of rows that may be removed. */
    int countDigits(Lowest lowest, int[] counts) {
        boolean byCount = lowest.byCount();
        int leftOut = lowest.leftOut();
        int rows = 0;
        for (int first = 0; first < known; first += CHUNK) {
            int[] chunk = chunks[first / CHUNK];
            int end = Math.min(CHUNK, known - first) * MARKS;
            for (int at = 0; at < end; at += MARKS) {
                if (chunk[at + STEP] == leftOut) {
                    continue;
                }
                rows++;
                int digit = lowest.digit(rank(chunk, at, byCount));
                if (digit >= 0) {
                    counts[digit]++;
                }
            }
        }
        return rows;
    }

    /** Tells the rows of the lowest ranks, and the rows of the rank that decides, in ascending order. */
    void choose(Lowest lowest, Lowest.Chosen chosen) {
        boolean byCount = lowest.byCount();
        int leftOut = lowest.leftOut();
        for (int first = 0; first < known; first += CHUNK) {
            int[] chunk = chunks[first / CHUNK];
            int end = Math.min(CHUNK, known - first) * MARKS;
            for (int at = 0; at < end; at += MARKS) {
                int compared = lowest.compare(rank(chunk, at, byCount));
                if (compared <= 0 && chunk[at + STEP] != leftOut) {
                    chosen.take(first + at / MARKS, compared);
                }
            }
        }
    }

    @Override
    public int removeLowest(int most, boolean byCount, int leftOut) {
        return remove(new Lowest(this, byCount, leftOut).keys(most, shard::key));
    }

    @Override
    public int removeIdle(long beforeStep, long beforeSecond) {
        return remove(Arrays.stream(idle(beforeStep, beforeSecond))
                .mapToLong(shard::key)
                .toArray());
    }

    private int remove(long[] keys) {
        return keys.length == 0 ? 0 : shard.removeRows(LongArray.wrap(keys));
    }

    /** Returns the rows that were last touched before a push or before a second, in ascending order. */
    private int[] idle(long beforeStep, long beforeSecond) {
        int[] rows = {};
        int n = 0;
        for (int row = 0; row < known; row++) {
            int[] chunk = chunk(row);
            int at = at(row);
            if (chunk[at + STEP] < beforeStep || chunk[at + SECOND] < beforeSecond) {
                rows = n < rows.length ? rows : Arrays.copyOf(rows, Math.max(64, 2 * n));
                rows[n++] = row;
            }
        }
        return Arrays.copyOf(rows, n);
    }

    @Override
    public void read(int row, int[] marks) {
        System.arraycopy(chunk(row), at(row), marks, 0, MARKS);
    }

    @Override
    public void write(LongArray keys, int[] marks) {
        for (int i = 0; i < keys.length(); i++) {
            int at = MARKS * i;
            set(shard.find(keys.get(i)), marks[at + STEP], marks[at + SECOND], marks[at + COUNT]);
        }
    }

    /** Moves the marks of the last row to the place of a removed row. All rows have marks. */
    void rowRemoved(int row, int last) {
        int at = at(last);
        set(row, chunk(last)[at + STEP], chunk(last)[at + SECOND], chunk(last)[at + COUNT]);
        known = last;
        while ((taken - 2) * (long) CHUNK >= known && taken > 0) {
            chunks[--taken] = NONE;
            count(0);
        }
    }
}
