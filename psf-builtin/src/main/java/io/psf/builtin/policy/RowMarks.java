package io.psf.builtin.policy;

import io.psf.api.Checkpointed;
import io.psf.api.Measured;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.array.LongArray;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When each row of a shard was last touched by a push, and how often. Attached to the shard of a table with a policy,
 * used on its lane, saved and loaded with it. The shard may have the memory of the marks.
 *
 * <p>The marks count the seconds of the clock without the times from the last push before a save, or before the
 * slice moved, to the load: nobody could have touched a row.
 */
class RowMarks implements Checkpointed, Measured {
    /** The bytes of the marks of a row. */
    static final int BYTES_OF_ROW = MarkMemory.MARKS * Integer.BYTES;

    /** The numbers of pushes are lowered by this when the greatest one is reached. */
    private static final int LOWERED = 1 << 30;

    /** The rows whose loaded marks are written together. */
    private static final int LOADED = 1 << 12;

    private final Shard shard;
    private final MarkMemory memory;
    private final int[] marks = new int[MarkMemory.MARKS];
    /** Loaded marks that are not written yet, and their keys. */
    private int[] loadedMarks = {};

    private long[] loadedKeys = {};
    private int loaded;

    private int step;
    /** The present second of the marks. */
    private int second;
    /** The second of the marks at the last push. */
    private int pushed;
    /** The seconds of the clock that the marks leave out. */
    private int leftOut;
    /** True if a total was loaded. */
    private boolean hasTotal;

    private RowMarks(Shard shard, MarkMemory memory, int now) {
        this.shard = shard;
        this.memory = memory;
        this.second = now;
        this.pushed = now;
    }

    /**
     * Returns the marks of a shard.
     *
     * @param now the present second
     */
    static RowMarks of(Shard shard, int now) {
        return shard.attachment(RowMarks.class, () -> {
            if (!(shard instanceof MarkingShard own)) {
                return new OnHost(shard, new HostMarks(shard), now);
            }
            MarkMemory memory = own.marks();
            memory.clear(); // the marks from before the load
            return new RowMarks(shard, memory, now);
        });
    }

    /** Marks in the heap, which follow the rows. */
    private static final class OnHost extends RowMarks implements RowListener {
        private final HostMarks memory;

        OnHost(Shard shard, HostMarks memory, int now) {
            super(shard, memory, now);
            this.memory = memory;
        }

        @Override
        public void rowRemoved(long key, int row, int last) {
            growTo(last + 1);
            memory.rowRemoved(row, last);
        }

        @Override
        public void rowsRemoved() {
            memory.clear();
        }
    }

    /** Begins the next push. Its number is one more than the last one's, or by 2^30 lower. */
    void begin(int now) {
        if (step == Integer.MAX_VALUE) {
            writeLoaded();
            memory.lower(LOWERED);
            step -= LOWERED;
        }
        step++;
        second = now - leftOut;
        pushed = second;
    }

    @Override
    public long bytes() {
        return memory.bytes();
    }

    int step() {
        return step;
    }

    /** Returns the present second of the marks. */
    int second() {
        return second;
    }

    int rows() {
        return memory.rows();
    }

    /** Marks rows that have been created since the last call, other than by a push, as touched in a second. */
    void growTo(int rows, int now) {
        second = now - leftOut;
        growTo(rows);
    }

    /** Marks rows that have been created since the last call as touched by the present push. */
    void growTo(int rows) {
        writeLoaded();
        memory.growTo(rows, step, second);
    }

    /**
     * Marks the rows of keys as touched now. Returns the number of keys without a row.
     *
     * @param into receives the rows, -1 for a key without one; null if the caller needs the number alone
     */
    int touch(LongArray keys, int @Nullable [] into) {
        return memory.touch(keys, into, step, second);
    }

    /** Removes the rows that were last touched before a push or before a second. Returns their number. */
    int removeIdle(long beforeStep, long beforeSecond) {
        return memory.removeIdle(beforeStep, beforeSecond);
    }

    /**
     * Removes the rows of the lowest ranks. Returns their number.
     *
     * @param leavesPresent true if the rows of the present push stay
     */
    int removeLowest(int most, boolean byCount, boolean leavesPresent) {
        return memory.removeLowest(most, byCount, leavesPresent ? step : -1);
    }

    /** {@inheritDoc} A kind of shard that has the memory of the marks follows no rows. */
    @Override
    public boolean tellsChanges() {
        return true;
    }

    @Override
    public void saveRow(long key, DataOutput out) throws IOException {
        int row = shard.find(key);
        growTo(row + 1);
        memory.read(row, marks);
        for (int mark : marks) {
            out.writeInt(mark);
        }
    }

    @Override
    public void loadRow(long key, DataInput in) throws IOException {
        if (loaded == loadedKeys.length) {
            writeLoaded();
            loadedKeys = new long[LOADED];
            loadedMarks = new int[MarkMemory.MARKS * LOADED];
        }
        int at = MarkMemory.MARKS * loaded;
        for (int mark = 0; mark < MarkMemory.MARKS; mark++) {
            loadedMarks[at + mark] = in.readInt();
        }
        loadedKeys[loaded++] = key;
        step = Math.max(step, loadedMarks[at + MarkMemory.STEP]); // the total may be loaded by another shard
    }

    private void writeLoaded() {
        if (loaded > 0) {
            memory.growTo(shard.rows(), step, second);
            memory.write(
                    LongArray.wrap(Arrays.copyOf(loadedKeys, loaded)),
                    Arrays.copyOf(loadedMarks, MarkMemory.MARKS * loaded));
            loaded = 0;
            loadedKeys = new long[0];
            loadedMarks = new int[0];
        }
    }

    @Override
    public void saveTotal(DataOutput out) throws IOException {
        out.writeInt(step);
        out.writeInt(pushed);
    }

    @Override
    public void loadTotal(DataInput in) throws IOException {
        step = Math.max(step, in.readInt());
        int last = in.readInt();
        pushed = hasTotal ? Math.max(pushed, last) : last;
        leftOut += second - pushed;
        second = pushed;
        hasTotal = true;
    }

    /** The rows of that shard that this one has loaded have its numbers of pushes. */
    @Override
    public void loadOverlappingTotal(DataInput in) throws IOException {
        loadTotal(in);
    }
}
