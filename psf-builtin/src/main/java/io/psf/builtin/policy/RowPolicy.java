package io.psf.builtin.policy;

import io.psf.api.Measured;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.MovingState;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The policy of one shard of a growing table: drops the updates of keys that have not come often enough, and removes
 * rows that are idle or for which there is no capacity. Attached to the shard, used on its lane. Its marks of the rows
 * are a separate attachment, which is saved.
 */
public final class RowPolicy implements Measured, Metered, MovingState {
    /** The start of the seconds: 2020-01-01T00:00:00Z, in seconds since 1970. */
    private static final long EPOCH = 1_577_836_800L;

    /** A full table gives up this part of its capacity at once, so that finding the rows costs little per row. */
    private static final int BATCH = 64;

    /** Idle rows are looked for this often within the time limit. */
    private static final int SCANS = 16;

    /** The entries of the smallest index of keys. */
    private static final long LEAST_ENTRIES = 1 << 10;

    /** A limit of bytes has to suffice for this many rows of each slice. */
    private static final int LEAST_ROWS = 64;

    private final PolicyOptions options;
    private final int slices;
    private final LongSupplier clock;
    private final @Nullable Sketch sketch;
    private long admitted;
    private long refused;
    private long expired;
    private long evicted;
    /** The most rows that the shard has had: its index does not shrink. */
    private long mostSoFar;

    private long scannedStep = Long.MIN_VALUE;
    private long scannedSecond = Long.MIN_VALUE;
    private boolean isTicking;

    private RowPolicy(PolicyOptions options, int slices, LongSupplier clock) {
        this.options = options;
        this.slices = slices;
        this.clock = clock;
        this.sketch = options.admitAfter() > 1 ? new Sketch(options.sketchBytes(slices)) : null;
    }

    /**
     * Checks that a table's limits suffice for some rows in each slice: the limit of bytes includes the memory that a
     * slice takes without rows.
     *
     * @throws PsException with {@code BAD_REQUEST} if they do not
     * @throws IllegalArgumentException if the sketch of a slice would be too large
     */
    public static void requireSpace(PolicyOptions options, TensorInfo table, int slices) {
        if (options.rows() > 0 && options.rows() < slices) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "most rows of table \"" + table.id() + "\": " + options.rows() + " (expected: >= " + slices
                            + ", one for each slice)");
        }
        long rows = LEAST_ROWS * bytesOfRow(table);
        long sketch = options.sketchBytes(slices);
        long least = slices * (sketch + LEAST_ENTRIES * Long.BYTES + HostMarks.MOST_SPARE + rows);
        if (options.bytes() > 0 && options.bytes() < least) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "most bytes of table \"" + table.id() + "\": " + options.bytes() + " (expected: >= " + least
                            + ", for " + slices + " slices with a sketch of " + sketch
                            + " bytes, an index, and " + LEAST_ROWS + " rows each)");
        }
    }

    /** Returns the bytes of a row without slots: its values, its key, and its marks. */
    private static long bytesOfRow(TensorInfo table) {
        return (long) table.types().bytes() * table.width() + Long.BYTES + RowMarks.BYTES_OF_ROW;
    }

    /** Gives a new shard of a growing table a policy. */
    public static void attach(Shard shard, PolicyOptions options, int slices) {
        attach(shard, options, slices, new SteadyClock());
    }

    /** Like the other, with a clock: seconds since 1970. */
    static void attach(Shard shard, PolicyOptions options, int slices, LongSupplier clock) {
        var unused = shard.attachment(RowPolicy.class, () -> new RowPolicy(options, slices, clock));
    }

    /** Returns the policy of a shard; if it has none, a policy that does nothing. */
    public static RowPolicy of(Shard shard) {
        return shard.findAttachment(RowPolicy.class, RowPolicy::none).orElseGet(RowPolicy::none);
    }

    private static RowPolicy none() {
        return new RowPolicy(PolicyOptions.NONE, 1, () -> 0);
    }

    /** True if every key gets a row, and no row is removed. */
    public boolean isNone() {
        return options.equals(PolicyOptions.NONE);
    }

    @Override
    public long bytes() {
        return sketch == null ? 0 : sketch.bytes();
    }

    @Override
    public void measure(Metrics to) {
        if (!isNone()) {
            to.counter("psf.table.admitted", "rows", "rows that pushes have made", admitted);
            to.counter("psf.table.refused", "updates", "updates of keys that have not come often enough", refused);
            to.counter("psf.table.expired", "rows", "rows removed since no push touched them", expired);
            to.counter("psf.table.evicted", "rows", "rows removed since the table was full", evicted);
        }
    }

    /** Returns the counts. */
    public Counts counts() {
        return new Counts(admitted, refused, expired, evicted);
    }

    /**
     * The counts of a policy's work on a shard.
     *
     * @param admitted the rows that were made
     * @param refused the updates that were dropped, since their keys had not come often enough
     * @param expired the rows that were removed since no push touched them
     * @param evicted the rows that were removed since the table was full
     */
    public record Counts(long admitted, long refused, long expired, long evicted) {}

    /**
     * An update of some rows.
     *
     * @param keys [n] int64, each once
     * @param rows [n], the rows of the keys, -1 for a key without one, until a row is removed; null if they are to be
     *     found
     * @param values [n, width] float32
     */
    public record Part(LongArray keys, int @Nullable [] rows, FloatArray values) {
        /** Creates an update whose rows are to be found. */
        public Part(LongArray keys, FloatArray values) {
            this(keys, null, values);
        }
    }

    /**
     * Applies an update of some rows: without the keys that are not admitted, after idle rows and as many others were
     * removed as the new rows need.
     *
     * @param inParts true if an update of more keys than half of the capacity may be applied in parts; otherwise it
     *     exceeds the capacity until it is applied
     */
    public void apply(Shard shard, Part update, boolean inParts, Consumer<Part> apply) {
        int part = inParts
                ? Math.max(1, capacity(shard) / 2)
                : Math.max(1, update.keys().length());
        int n = update.keys().length();
        int width = shard.width();
        for (int begin = 0; begin == 0 || begin < n; begin += part) {
            int end = Math.min(n, begin + part);
            FloatArray values = update.values().slice(begin * width, end * width);
            apply.accept(admit(shard, new Part(update.keys().slice(begin, end), values)));
            if (!isNone()) {
                trim(shard);
            }
        }
    }

    /** Returns the present second, since 2020. */
    private int second() {
        return (int) (clock.getAsLong() - EPOCH);
    }

    /**
     * Returns the part of an update whose keys are admitted, after idle rows and as many others were removed as the new
     * rows need. The caller applies it.
     */
    public Part admit(Shard shard, Part update) {
        int second = second();
        RowMarks marks = RowMarks.of(shard, second);
        marks.growTo(shard.rows(), second);
        marks.begin(second);
        LongArray keys = update.keys();
        int n = keys.length();
        // Only the host's own step takes them; a device would have to send them back.
        boolean takesRows = shard.optimizer() instanceof TiledOptimizer;
        int[] rows = sketch == null && !takesRows ? null : new int[n];
        int fresh = marks.touch(keys, rows);
        int[] admitted = sketch == null || rows == null || fresh == 0 ? null : admitted(sketch, keys, rows);
        int kept = admitted == null ? n : admitted.length;
        fresh -= n - kept;
        refused += n - kept;
        this.admitted += fresh;
        long removed = expired + evicted;
        expire(marks);
        tick(shard);
        evict(shard, marks, fresh, true);
        boolean known = expired + evicted == removed;
        if (admitted == null || rows == null || kept == n) {
            return new Part(keys, known ? rows : null, update.values());
        }
        FloatArray values = FloatArray.allocate(kept * shard.width());
        values.gather(update.values(), admitted, 0, kept, shard.width());
        long[] left = new long[kept];
        for (int i = 0; i < kept; i++) {
            left[i] = keys.get(admitted[i]);
            rows[i] = rows[admitted[i]];
        }
        return new Part(LongArray.wrap(left), known ? Arrays.copyOf(rows, kept) : null, values);
    }

    /** Returns the positions of the keys that have a row, or have come often enough to get one. */
    private int[] admitted(Sketch counts, LongArray keys, int[] rows) {
        int[] admitted = new int[rows.length];
        int kept = 0;
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] >= 0 || counts.add(keys.get(i)) >= options.admitAfter()) {
                admitted[kept++] = i;
            }
        }
        return Arrays.copyOf(admitted, kept);
    }

    /** Removes idle rows, if it is time to look for them. */
    private void expire(RowMarks marks) {
        int second = marks.second();
        long idleSteps = options.idleSteps();
        long idleSeconds = options.idleTime().toSeconds();
        if (!isDue(idleSteps, scannedStep, marks.step()) && !isDue(idleSeconds, scannedSecond, second)) {
            return;
        }
        scannedStep = marks.step();
        scannedSecond = second;
        long beforeStep = idleSteps == 0 ? Long.MIN_VALUE : marks.step() - idleSteps + 1;
        long beforeSecond = idleSeconds == 0 ? Long.MIN_VALUE : second - idleSeconds;
        expired += marks.removeIdle(beforeStep, beforeSecond);
    }

    /**
     * True if idle rows are to be looked for: after a part of the limit, or since the numbers are lower than at the
     * last time, such as after a load.
     *
     * @param limit 0 for none
     */
    private static boolean isDue(long limit, long scanned, long now) {
        return limit > 0 && (now < scanned || now >= scanned + Math.max(1, limit / SCANS));
    }

    /** Looks for idle rows at times without pushes, too. */
    private void tick(Shard shard) {
        long idleSeconds = options.idleTime().toSeconds();
        if (idleSeconds == 0 || isTicking) {
            return;
        }
        isTicking = true;
        var unused = shard.after(Duration.ofSeconds(Math.max(1, idleSeconds / SCANS)), () -> {
            isTicking = false;
            int second = second();
            RowMarks marks = RowMarks.of(shard, second);
            marks.growTo(shard.rows(), second);
            expire(marks);
            tick(shard); // also if a push has looked for idle rows in the meantime
        });
    }

    /**
     * Marks the rows of an update that {@link #admit} returned, once it is applied, and removes the rows beyond the
     * capacity: rows of the update itself, if it has more rows than the capacity.
     */
    public void trim(Shard shard) {
        RowMarks marks = RowMarks.of(shard, second());
        marks.growTo(shard.rows());
        evict(shard, marks, 0, false);
    }

    /**
     * Removes the rows of the lowest ranks, if the table has no capacity for further ones.
     *
     * @param leavesPresent true if the rows of the present push are not removed
     */
    private void evict(Shard shard, RowMarks marks, int fresh, boolean leavesPresent) {
        int most = capacity(shard);
        int beyond = marks.rows() + fresh - most;
        if (beyond > 0) {
            evicted += marks.removeLowest(Math.max(beyond, most / BATCH), options.lfu(), leavesPresent);
        }
    }

    /** Returns the capacity of this slice in rows. */
    private int capacity(Shard shard) {
        long most = Math.max(1, shard.mostRows());
        if (options.rows() > 0) {
            most = Math.min(most, options.rows() / slices);
        }
        if (options.bytes() > 0) {
            mostSoFar = Math.max(mostSoFar, shard.rows());
            ShardBytes now = shard.bytes();
            long inMarks = RowMarks.of(shard, second()).bytes();
            long others = Math.max(0, now.attachments() - inMarks) + HostMarks.MOST_SPARE; // with the sketch
            most = Math.min(most, Math.max(1, rowsIn(options.bytes() / slices - others, shard, now)));
        }
        return (int) most;
    }

    /**
     * Returns how many rows take at most some bytes, with their slots, marks, keys and the index of the keys, which has
     * the size for the most rows so far: attachments may have grown since.
     */
    private long rowsIn(long bytes, Shard shard, ShardBytes now) {
        long ofRow = bytesOfRow(shard.spec()) + bytesOfSlots(shard, now);
        long rows = 0;
        for (long entries = LEAST_ENTRIES; entries * Long.BYTES < bytes; entries *= 2) {
            long inIndex = entries / 4 * 3; // it is doubled when it is three quarters full
            long fit = Math.min((bytes - entries * Long.BYTES) / ofRow, inIndex);
            rows = inIndex / 2 < mostSoFar ? fit : Math.max(rows, fit);
        }
        return rows;
    }

    /**
     * Returns the bytes of a row's slots. A kind of shard that does not list them has them in proportion to its values.
     */
    private static long bytesOfSlots(Shard shard, ShardBytes now) {
        if (shard instanceof StoredShard stored) {
            return stored.storedSlots().values().stream()
                    .mapToLong(slot -> (long) Float.BYTES * slot.width())
                    .sum();
        }
        long values = (long) shard.spec().types().bytes() * shard.width();
        return now.values() == 0 ? 0 : (long) ((double) values * now.slots() / now.values());
    }

    @Override
    public void saveMoving(DataOutputStream out) throws IOException {
        for (long count : new long[] {admitted, refused, expired, evicted, mostSoFar, scannedStep, scannedSecond}) {
            out.writeLong(count);
        }
        out.writeBoolean(sketch != null);
        if (sketch != null) {
            sketch.write(out);
        }
    }

    @Override
    public void loadMoving(DataInputStream in) throws IOException {
        admitted = in.readLong();
        refused = in.readLong();
        expired = in.readLong();
        evicted = in.readLong();
        mostSoFar = in.readLong();
        scannedStep = in.readLong();
        scannedSecond = in.readLong();
        boolean admits = in.readBoolean();
        if (admits != (sketch != null)) {
            throw new IllegalArgumentException("sketch: " + admits + ", not " + (sketch != null));
        }
        if (sketch != null) {
            sketch.read(in);
        }
    }
}
