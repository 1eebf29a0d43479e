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

    private static final int MOST_ROWS = Integer.MAX_VALUE - 8;

    /** The numbers of pushes are lowered by this when the greatest one is reached. */
    private static final int LOWERED = 1 << 30;

    private final Shard shard;
    /** By row, the number of the push that touched it last; 0 for one long ago. */
    private int[] steps = {};
    /** By row, the second in which it was touched last, since 2020. */
    private int[] seconds = {};
    /** By row, the number of pushes that have touched it; stays at the greatest int32. */
    private int[] counts = {};
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
                steps[row] = Math.max(0, steps[row] - LOWERED);
            }
            step -= LOWERED;
        }
        step++;
        second = now;
    }

    @Override
    public long bytes() {
        return (long) BYTES_OF_ROW * steps.length;
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
        if (rows > steps.length) {
            int capacity = Math.max(64, Math.max(rows, (int) Math.min(MOST_ROWS, steps.length * 5L / 4)));
            steps = Arrays.copyOf(steps, capacity);
            seconds = Arrays.copyOf(seconds, capacity);
            counts = Arrays.copyOf(counts, capacity);
        }
        if (rows > known) {
            Arrays.fill(steps, known, rows, step);
            Arrays.fill(seconds, known, rows, second);
            Arrays.fill(counts, known, rows, 1);
            known = rows;
        }
    }

    /** Marks a row as touched now. */
    void touch(int row) {
        steps[row] = step;
        seconds[row] = second;
        counts[row] += counts[row] == Integer.MAX_VALUE ? 0 : 1;
    }

    /** True if the row was touched by the present push. */
    boolean isOfThisPush(int row) {
        return steps[row] == step;
    }

    /** True if the row was last touched before a push and before a second. */
    boolean isIdle(int row, long beforeStep, long beforeSecond) {
        return steps[row] < beforeStep || seconds[row] < beforeSecond;
    }

    /** Returns the rank of a row among those that may be removed: lower ones go first. */
    long rank(int row, boolean byCount) {
        return byCount ? (long) counts[row] << Integer.SIZE | steps[row] : steps[row];
    }

    @Override
    public void rowRemoved(long key, int row, int last) {
        growTo(last + 1);
        steps[row] = steps[last];
        seconds[row] = seconds[last];
        counts[row] = counts[last];
        known = last;
    }

    @Override
    public void rowsRemoved() {
        known = 0;
    }

    @Override
    public void saveRow(long key, DataOutput out) throws IOException {
        int row = shard.find(key);
        growTo(row + 1);
        out.writeInt(steps[row]);
        out.writeInt(seconds[row]);
        out.writeInt(counts[row]);
    }

    @Override
    public void loadRow(long key, DataInput in) throws IOException {
        int row = shard.find(key);
        growTo(row + 1);
        steps[row] = in.readInt();
        seconds[row] = in.readInt();
        counts[row] = in.readInt();
        step = Math.max(step, steps[row]); // the total may be loaded by another shard
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
