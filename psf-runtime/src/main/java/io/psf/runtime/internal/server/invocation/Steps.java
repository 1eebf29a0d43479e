package io.psf.runtime.internal.server.invocation;

import io.psf.api.Checkpointed;
import io.psf.api.Measured;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.runtime.spi.transport.RequestHeader;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The steps of tasks that have run on a shard: of the {@link #MOST_TASKS} tasks that have called the shard last, the
 * highest step and which of the {@link #WINDOW} steps up to it. A step further below counts as run. Saved and loaded
 * with the shard; a shard of another range begins without steps, since the steps of one range have not all run on
 * another one. The name of this class is in checkpoints. Used on the shard's lane.
 */
final class Steps implements Checkpointed, Measured {
    static final int MOST_TASKS = 16_384;

    /** As many as the bits of a long. */
    static final int WINDOW = Long.SIZE;

    /** The entry of a hash map with its key and its value. */
    private static final int BYTES_OF_TASK = 104;

    private final Range range;
    /** In the order of their last calls. */
    private final Map<Long, Run> tasks = new LinkedHashMap<>(16, .75f, true);
    /** The steps whose handlers have not answered. */
    private final Map<Key, CompletionStage<?>> underWay = new HashMap<>(2);

    private record Key(long task, int step) {}

    /** The steps of one task that have run. */
    private static final class Run {
        private int highest;
        /** Bit i is set if the step {@code highest - i} has run. */
        private long bits;
        /** The number of the first attempt; 0 if it is not known. */
        private final int attempt;
        /** True if no other attempt may change the shard. */
        private boolean isAlone;

        Run(int highest, long bits, int attempt, boolean isAlone) {
            this.highest = highest;
            this.bits = bits;
            this.attempt = attempt;
            this.isAlone = isAlone;
        }

        boolean has(int step) {
            return step <= highest && (highest - step >= WINDOW || (bits >>> highest - step & 1) != 0);
        }

        void add(int step) {
            if (step > highest) {
                bits = step - highest >= WINDOW ? 1 : bits << step - highest | 1;
                highest = step;
            } else if (highest - step < WINDOW) {
                bits |= 1L << highest - step;
            }
        }
    }

    Steps(Range range) {
        this.range = range;
    }

    /** Returns the steps of a shard. */
    static Steps of(Shard shard) {
        return shard.attachment(Steps.class, () -> new Steps(shard.range()));
    }

    /**
     * True if an attempt may change the shard. Once one came whose changes may differ, no other than the first may.
     *
     * @param attempt as in {@link RequestHeader.Step#attempt}
     */
    boolean admits(long task, int attempt) {
        Run run = tasks.get(task);
        if (run == null) {
            add(task, new Run(0, 0, Math.abs(attempt), attempt < 0));
            return true;
        }
        run.isAlone |= attempt < 0;
        return !run.isAlone || run.attempt == Math.abs(attempt);
    }

    /** True if a step has run. */
    boolean hasRun(long task, int step) {
        Run run = tasks.get(task);
        return run != null && run.has(step);
    }

    /** Returns the answer of a step that runs now, and answers later; null if it does not run. */
    @Nullable
    CompletionStage<?> underWay(long task, int step) {
        return underWay.get(new Key(task, step));
    }

    /** Marks that a step answers later. */
    void begin(long task, int step, CompletionStage<?> answer) {
        underWay.put(new Key(task, step), answer);
    }

    /** Ends a step. */
    void end(long task, int step, boolean hasRun) {
        underWay.remove(new Key(task, step));
        if (hasRun) {
            add(task, new Run(step, 1, 0, false));
        }
    }

    private void add(long task, Run run) {
        Run known = tasks.get(task);
        if (known != null) {
            known.add(run.highest);
            return;
        }
        if (tasks.size() == MOST_TASKS) {
            tasks.remove(tasks.keySet().iterator().next());
        }
        tasks.put(task, run);
    }

    @Override
    public long bytes() {
        return (long) BYTES_OF_TASK * tasks.size();
    }

    @Override
    public void saveTotal(DataOutput out) throws IOException {
        if (tasks.isEmpty()) {
            return;
        }
        out.writeLong(range.begin());
        out.writeLong(range.end());
        out.writeInt(tasks.size());
        for (Map.Entry<Long, Run> each : tasks.entrySet()) {
            out.writeLong(each.getKey());
            out.writeInt(each.getValue().highest);
            out.writeLong(each.getValue().bits);
            out.writeInt(each.getValue().attempt);
            out.writeBoolean(each.getValue().isAlone);
        }
    }

    @Override
    public void loadTotal(DataInput in) throws IOException {
        long begin = in.readLong();
        long end = in.readLong();
        boolean isOfRange = begin == range.begin() && end == range.end();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            long task = in.readLong();
            Run run = new Run(in.readInt(), in.readLong(), in.readInt(), in.readBoolean());
            if (isOfRange) {
                add(task, run);
            }
        }
    }
}
