package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Correction;
import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Steps one shard's rows on the device, by whatever formula. Returns when the update is in the values. */
final class DeviceSteps {
    private final DeviceRows rows;
    private final Created created;
    private final int width;
    /** Adam's corrections, by the two rates that they depend on: as many as the shard's optimizers had. */
    private final Map<List<Float>, Corrections> corrections = new HashMap<>();
    /** The corrections of the last step, and where they are. */
    private @Nullable Correction last;

    private Corrections ofLast = Corrections.NONE;

    /** Sets the values of rows that a call has created. */
    @FunctionalInterface
    interface Created {
        /**
         * Sets them, unless the device generates them.
         *
         * @param before the number of rows before the call
         */
        void begin(int before);
    }

    DeviceSteps(DeviceRows rows, int width, Created created) {
        this.rows = rows;
        this.created = created;
        this.width = width;
    }

    Workspace workspace() {
        return rows.workspace();
    }

    Pieces pieces() {
        return rows.pieces();
    }

    /** Takes the memory that the steps of a formula need, whatever their rate. */
    void prepare(RuleKernel rule) {
        rows.memory().requireThere();
        rows.workspace().device().use(); // a lane may have shards on several devices
        var unused = corrections(rule);
        rule.state().forEach(slot -> rows.reserve(slot, width));
        String ofRows = rule.ofRows();
        if (ofRows != null) {
            rows.reserve(ofRows, 1);
        }
    }

    /** Runs an operation on the shard. */
    <T> T operation(Function<Kernels, T> work) {
        rows.memory().requireThere();
        return rows.operation(work);
    }

    private Corrections corrections(RuleKernel rule) {
        Correction correction = rule.correction();
        if (correction == null) {
            return Corrections.NONE;
        }
        if (correction != last) {
            ofLast = corrections.computeIfAbsent(
                    List.of(correction.b1(), correction.b2()), rates -> upload(rows.memory(), correction));
            last = correction;
        }
        return ofLast;
    }

    private static Corrections upload(ShardMemory memory, Correction correction) {
        Workspace workspace = memory.workspace();
        double[] table = RuleKernel.corrections(correction, RuleKernel.KNOWN);
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(table.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(table);
        Block block = memory.allocate(bytes.capacity(), "corrections of an optimizer");
        workspace.stream().copyIn(bytes, block.address());
        workspace.stream().synchronize();
        return new Corrections(block.address(), RuleKernel.KNOWN);
    }

    /** Returns the arrays of a step by key. */
    Stepped stepped(RuleKernel rule) {
        DeviceColumn ofRows = ofRows(rule);
        return stepped(rule, ofRows == null ? 0 : ofRows.address(), 0);
    }

    /** Returns the arrays of a step of all rows. If all rows have as many steps, there is no array of their numbers. */
    Stepped steppedAll(RuleKernel rule) {
        DeviceColumn ofRows = ofRows(rule);
        SameValue same = ofRows == null || !rule.countsSteps() ? null : ofRows.same();
        return same != null && same.isSame() ? stepped(rule, 0, same.value() + 1) : stepped(rule);
    }

    private @Nullable DeviceColumn ofRows(RuleKernel rule) {
        String slot = rule.ofRows();
        return slot == null ? null : rows.slot(slot, 1);
    }

    private Stepped stepped(RuleKernel rule, long ofRows, float stepsOfAll) {
        List<String> names = rule.state();
        long[] state = new long[2];
        for (int i = 0; i < names.size(); i++) {
            state[i] = rows.slot(names.get(i), width).address();
        }
        return new Stepped(rows.values().rows(), state[0], state[1], ofRows, stepsOfAll, corrections(rule), rule);
    }

    /** Returns the rows of keys on the device; a growing table creates missing rows. */
    Block make(Kernels kernels, LongArray keys) {
        long of = rows.transfers().upload(keys);
        Block items = rows.transfers().items(keys.length());
        boolean repeats = Transfers.mayRepeat(keys);
        created.begin(rows.make(kernels, keys, of, items.address(), Claims.NONE, repeats));
        rows.end(keys);
        return items;
    }

    /** Steps every row. */
    void all(RuleKernel rule, FloatArray update) {
        operation(kernels -> {
            stepAll(kernels, rule, update);
            return null;
        });
    }

    /** Steps the rows of keys. */
    void rows(RuleKernel rule, LongArray keys, FloatArray update) {
        operation(kernels -> {
            stepRows(kernels, rule, keys, update);
            return null;
        });
    }

    private void stepAll(Kernels kernels, RuleKernel rule, FloatArray update) {
        Stepped stepped = steppedAll(rule);
        rows.pieces().in(update, width, (piece, first, n) -> {
            if (first == 0 && stepped.steps() != 0) { // not before all memory has been allocated
                kernels.count(stepped.steps(), rows.count());
            }
            kernels.stepAll(stepped, piece, first, n);
        });
        DeviceColumn ofRows = ofRows(rule);
        SameValue same = ofRows == null ? null : ofRows.same();
        if (same != null && stepped.ofRows() == 0) {
            same.set(stepped.stepsOfAll());
        }
        rows.workspace().stream().synchronize();
    }

    private void stepRows(Kernels kernels, RuleKernel rule, LongArray keys, FloatArray update) {
        int n = keys.length();
        var unused = stepped(rule); // creates the slots, so that they grow with the rows
        long of = rows.transfers().upload(keys);
        Block itemsOfCall = rows.transfers().items(n);
        long items = itemsOfCall.address();
        long status = rows.status().address();
        boolean areFew = Transfers.areFew(keys);
        Claims claims = areFew || !Transfers.mayRepeat(keys)
                ? Claims.NONE
                : rows.transfers().claims(keys);
        int before = rows.make(kernels, keys, of, items, claims, claims.there());
        if (areFew && rows.transfers().repeat(keys)) { // told while the kernel runs: a push of the workers repeats none
            claims = rows.transfers().claims(keys);
            before = rows.make(kernels, keys, of, items, claims, true);
        }
        created.begin(before);
        Stepped current = stepped(rule); // any of the columns may have moved
        boolean countsAtEnd =
                !claims.there() && current.steps() != 0 && rows.status().canCountSteps();
        Stepped stepped = countsAtEnd ? current.countedLater() : current;
        if (!countsAtEnd) {
            rows.mark(kernels, items, n, claims, stepped.steps());
        }
        rows.pieces()
                .in(
                        update,
                        width,
                        (piece, first, some) -> kernels.stepRows(stepped, piece, items, first, some, status));
        rows.end(keys, items, countsAtEnd ? stepped.steps() : 0);
        if (rows.status().duplicates() > 0) {
            stepRest(kernels, stepped(rule), itemsOfCall, n, update);
        }
    }

    /** Steps the items whose key an earlier item has, in order: a rare case, as a push by key has each key once. */
    private void stepRest(Kernels kernels, Stepped stepped, Block items, int n, FloatArray update) {
        Workspace workspace = rows.workspace();
        int[] left = new int[n];
        rows.transfers().download(items, left, n);
        int count = 0;
        int[] which = new int[n];
        int[] theirRows = new int[n];
        for (int item = 0; item < n; item++) {
            if (left[item] < -1) { // LATER of psf.cu
                theirRows[count] = -2 - left[item];
                which[count++] = item;
            }
        }
        int most = Pieces.rowsOfPiece(width);
        for (int begin = 0; begin < count; begin += most) {
            int some = Math.min(most, count - begin);
            FloatArray part = FloatArray.allocate(some * width);
            part.gather(update, which, begin, begin + some, width);
            int[] rowsOfPart = IntArray.wrap(theirRows, begin, some).toArray();
            long numbers = rows.transfers().upload("rest", rowsOfPart, some).address();
            rows.pieces().in(part, width, (piece, first, m) -> kernels.stepRest(stepped, piece, numbers, m));
            workspace.stream().synchronize(); // before the next rows take the memory of these
        }
    }
}
