package io.psf.gpu.shard;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.optimizer.SteppedByPushes;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps one shard's rows on the device. Returns when the update is in the values. */
final class DeviceOptimizer implements SteppedByPushes {
    private final TiledOptimizer onHost;
    /** The rule at its last step. */
    private RuleKernel rule;

    private final DeviceRows rows;
    private final NewRows newRows;
    private final int width;
    /** Adam's corrections; null for a rule without them. */
    private final @Nullable Block corrections;

    /** Sets the values of rows that a call has created. */
    @FunctionalInterface
    interface NewRows {
        /**
         * Sets them, or queues that.
         *
         * @param before the number of rows before the call
         * @param items the number of keys of the call
         */
        void begin(Kernels kernels, int before, int items);
    }

    DeviceOptimizer(Optimizer onHost, DeviceRows rows, int width, NewRows newRows) {
        this.onHost = RuleKernel.tiled(onHost);
        this.rule = RuleKernel.of(onHost);
        this.rows = rows;
        this.newRows = newRows;
        this.width = width;
        double[] table = rule.corrections();
        this.corrections = table.length == 0 ? null : upload(rows.memory(), table);
    }

    private static Block upload(ShardMemory memory, double[] table) {
        Workspace workspace = memory.workspace();
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(table.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(table);
        Block block = memory.allocate(bytes.capacity(), "corrections of an optimizer");
        workspace.stream().copyIn(bytes, block.address());
        workspace.stream().synchronize();
        return block;
    }

    @Override
    public String name() {
        return onHost.name();
    }

    @Override
    public String toString() {
        return onHost + " on " + rows.workspace().device();
    }

    @Override
    public boolean dependsOnPushes() {
        return onHost.dependsOnPushes();
    }

    @Override
    public TiledOptimizer onHost() {
        return onHost;
    }

    /** Begins a step: counts it and takes its learning rate, if it depends on that. */
    private void begin(Shard shard) {
        if (onHost.dependsOnPushes()) {
            rule = RuleKernel.of(onHost, onHost.next(shard));
        }
    }

    private Kernels.Stepped stepped() {
        List<String> names = rule.state();
        long[] state = new long[2];
        for (int i = 0; i < names.size(); i++) {
            state[i] = rows.slot(names.get(i), width).address();
        }
        long steps = rule.countsSteps() ? rows.slot(Kernel.STEPS, 1).address() : 0;
        long known = corrections == null ? 0 : corrections.address();
        return new Kernels.Stepped(rows.values().address(), state[0], state[1], steps, known, width, rule);
    }

    @Override
    public void apply(Shard shard, FloatArray update) {
        Shapes.requireDense(shard, update);
        begin(shard);
        rows.workspace().operation(kernels -> {
            stepAll(kernels, update);
            return null;
        });
    }

    private void stepAll(Kernels kernels, FloatArray update) {
        Kernels.Stepped stepped = stepped();
        rows.workspace().pieces().in(update, width, (piece, first, n) -> {
            if (first == 0 && stepped.steps() != 0) { // not before all memory has been allocated
                kernels.count(stepped.steps(), rows.count());
            }
            kernels.stepAll(stepped, piece, (long) first * width, (long) n * width);
        });
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        Shapes.requireSparse(shard, keys, update);
        begin(shard);
        if (keys.length() == 0) {
            return; // it has been counted
        }
        rows.workspace().operation(kernels -> {
            stepRows(kernels, keys, update);
            return null;
        });
    }

    private void stepRows(Kernels kernels, LongArray keys, FloatArray update) {
        int n = keys.length();
        var unused = stepped(); // creates the slots, so that they grow with the rows
        long of = rows.upload(keys).address();
        Block itemsOfCall = rows.items(n);
        long items = itemsOfCall.address();
        long status = rows.status().address();
        try {
            newRows.begin(kernels, rows.make(kernels, keys, of, items, true), n);
            Kernels.Stepped stepped = stepped(); // any of the columns may have moved
            long claimsNow = rows.claims();
            rows.workspace()
                    .pieces()
                    .in(
                            update,
                            width,
                            (piece, first, some) ->
                                    kernels.stepRows(stepped, piece, items, claimsNow, first, some, status));
            kernels.release(items, n, claimsNow, stepped.steps(), status);
        } catch (RuntimeException | Error e) {
            rows.unclaim(); // it was not released
            throw e;
        }
        rows.end(keys);
        if (rows.status().duplicates() > 0) {
            stepRest(kernels, stepped(), itemsOfCall, n, update);
        }
    }

    /** Steps the items whose key an earlier item has, in order: a rare case, as a push by key has each key once. */
    private void stepRest(Kernels kernels, Kernels.Stepped stepped, Block items, int n, FloatArray update) {
        Workspace workspace = rows.workspace();
        int[] left = new int[n];
        rows.download(items, left, n);
        int count = 0;
        int[] which = new int[n];
        int[] theirRows = new int[n];
        for (int item = 0; item < n; item++) {
            if (left[item] >= 0) {
                theirRows[count] = left[item];
                which[count++] = item;
            }
        }
        int most = Pieces.rowsOfPiece(width);
        for (int begin = 0; begin < count; begin += most) {
            int some = Math.min(most, count - begin);
            FloatArray part = FloatArray.allocate(some * width);
            part.gather(update, which, begin, begin + some, width);
            int[] rowsOfPart = IntArray.wrap(theirRows, begin, some).toArray();
            long numbers = rows.upload("rest", rowsOfPart, some).address();
            workspace.pieces().in(part, width, (piece, first, m) -> kernels.stepRest(stepped, piece, numbers, m));
        }
    }
}
