package io.psf.builtin.policy;

import io.psf.api.Checkpointed;
import io.psf.api.Measured;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * When each row of a shard was last touched by a push, and how often. Attached to the shard of a table with a policy,
 * used on its lane, saved and loaded with it.
 */
final class RowMarks implements Checkpointed, Measured, RowListener {
    /** The bytes of the marks of a row. */
    static final int BYTES_OF_ROW = 3 * Integer.BYTES;

    /** The rows of a chunk: memory is taken and freed by chunks, so that it is near what the rows need. */
    private static final int CHUNK = 256;

    /** The most bytes beyond those of the rows: less than a chunk after growing, and one more after rows were removed. */
    static final long MOST_SPARE = 2L * CHUNK * BYTES_OF_ROW;

    /** The place in a chunk of the number of the push that touched a row last; 0 for one long ago. */
    private static final int STEP = 0;
    /** The place of the second in which the row was touched last, since 2020. */
    private static final int SECOND = 1;
    /** The place of the number of pushes that have touched it; stays at the greatest int32. */
    private static final int COUNT = 2;

    private static final int MARKS = 3;

    /** A chunk without memory. */
    private static final int[] NONE = {};

    /** The numbers of pushes are lowered by this when the greatest one is reached. */
    private static final int LOWERED = 1 << 30;

    private final Shard shard;
    /** By chunk of rows, then by row: step, second and count. */
    private int[][] chunks = {};
    /** The number of chunks that have memory: the first ones. */
    private int taken;
    /** The number of rows that have marks. */
    private int known;

    private int step;
    private int second;

    private RowMarks(Shard shard, int now) {
        this.shard = shard;
        this.second = now;
    }

    /**
     * Returns the marks of a shard.
     *
     * @param now the present second
     */
    static RowMarks of(Shard shard, int now) {
        return shard.attachment(RowMarks.class, () -> new RowMarks(shard, now));
    }

    /** Begins the next push. Its number is one more than the last one's, or by 2^30 lower. */
    void begin(int now) {
        if (step == Integer.MAX_VALUE) {
            for (int row = 0; row < known; row++) {
                chunk(row)[at(row) + STEP] = Math.max(0, chunk(row)[at(row) + STEP] - LOWERED);
            }
            step -= LOWERED;
        }
        step++;
        second = now;
    }

    @Override
    public long bytes() {
        return (long) BYTES_OF_ROW * CHUNK * taken;
    }

    int step() {
        return step;
    }

    int rows() {
        return known;
    }

    /** Marks rows that have been created since the last call, other than by a push, as touched in a second. */
    void growTo(int rows, int now) {
        second = now;
        growTo(rows);
    }

    /** Marks rows that have been created since the last call as touched by the present push. */
    void growTo(int rows) {
        while (taken * (long) CHUNK < rows) {
            if (taken == chunks.length) {
                chunks = Arrays.copyOf(chunks, Math.max(8, 2 * taken));
            }
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

    private void set(int row, int itsStep, int itsSecond, int itsCount) {
        int[] chunk = chunk(row);
        int at = at(row);
        chunk[at + STEP] = itsStep;
        chunk[at + SECOND] = itsSecond;
        chunk[at + COUNT] = itsCount;
    }

    /** Marks a row as touched now. */
    void touch(int row) {
        int[] chunk = chunk(row);
        int count = chunk[at(row) + COUNT];
        set(row, step, second, count == Integer.MAX_VALUE ? count : count + 1);
    }

    private boolean isIdle(int row, long beforeStep, long beforeSecond) {
        int[] chunk = chunk(row);
        int at = at(row);
        return chunk[at + STEP] < beforeStep || chunk[at + SECOND] < beforeSecond;
    }

    /** Returns the rank of a row, by its place in a chunk, among those that may be removed: lower ones go first. */
    private static long rank(int[] chunk, int at, boolean byCount) {
        return byCount ? (long) chunk[at + COUNT] << Integer.SIZE | chunk[at + STEP] : chunk[at + STEP];
    }

    /** Counts the digits of the ranks. Returns the number of rows that may be removed. */
    int countDigits(Lowest lowest, int[] counts) {
        boolean byCount = lowest.byCount();
        boolean leavesPresent = lowest.leavesPresent();
        int rows = 0;
        for (int first = 0; first < known; first += CHUNK) {
            int[] chunk = chunks[first / CHUNK];
            int end = Math.min(CHUNK, known - first) * MARKS;
            for (int at = 0; at < end; at += MARKS) {
                if (leavesPresent && chunk[at + STEP] == step) {
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

    /** Tells the rows of the lowest ranks, and those of the rank that decides, in ascending order. */
    void choose(Lowest lowest, Lowest.Chosen chosen) {
        boolean byCount = lowest.byCount();
        boolean leavesPresent = lowest.leavesPresent();
        for (int first = 0; first < known; first += CHUNK) {
            int[] chunk = chunks[first / CHUNK];
            int end = Math.min(CHUNK, known - first) * MARKS;
            for (int at = 0; at < end; at += MARKS) {
                int compared = lowest.compare(rank(chunk, at, byCount));
                if (compared <= 0 && !(leavesPresent && chunk[at + STEP] == step)) {
                    chosen.take(first + at / MARKS, compared);
                }
            }
        }
    }

    /** Returns the rows that were last touched before a push or before a second, in ascending order. */
    int[] idle(long beforeStep, long beforeSecond) {
        int[] rows = {};
        int n = 0;
        for (int row = 0; row < known; row++) {
            if (isIdle(row, beforeStep, beforeSecond)) {
                rows = n < rows.length ? rows : Arrays.copyOf(rows, Math.max(64, 2 * n));
                rows[n++] = row;
            }
        }
        return Arrays.copyOf(rows, n);
    }

    @Override
    public void rowRemoved(long key, int row, int last) {
        growTo(last + 1);
        int at = at(last);
        set(row, chunk(last)[at + STEP], chunk(last)[at + SECOND], chunk(last)[at + COUNT]);
        known = last;
        while ((taken - 2) * (long) CHUNK >= known && taken > 0) {
            chunks[--taken] = NONE;
        }
    }

    @Override
    public void rowsRemoved() {
        known = 0;
        taken = 0;
        chunks = new int[0][];
    }

    @Override
    public void saveRow(long key, DataOutput out) throws IOException {
        int row = shard.find(key);
        growTo(row + 1);
        for (int mark = 0; mark < MARKS; mark++) {
            out.writeInt(chunk(row)[at(row) + mark]);
        }
    }

    @Override
    public void loadRow(long key, DataInput in) throws IOException {
        int row = shard.find(key);
        growTo(row + 1);
        int itsStep = in.readInt();
        set(row, itsStep, in.readInt(), in.readInt());
        step = Math.max(step, itsStep); // the total may be loaded by another shard
    }

    @Override
    public void saveTotal(DataOutput out) throws IOException {
        out.writeInt(step);
    }

    @Override
    public void loadTotal(DataInput in) throws IOException {
        step = Math.max(step, in.readInt());
    }

    /** The rows of that shard that this one has loaded have its numbers of pushes. */
    @Override
    public void loadOverlappingTotal(DataInput in) throws IOException {
        loadTotal(in);
    }
}
