package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;

/** Pushes or pulls of some rows of a table of a million rows. */
final class SparseCalls implements Calls {
    static final int ROWS = 1_000_000;

    /** The number of rows of one call. */
    static final int KEYS = 10_000;

    private final Worker worker;
    private final boolean push;
    private final TensorId table;
    private final long[][] keys;
    private final float[] update;
    private final float[][] into;
    private int next;

    /**
     * Creates the table unless it exists.
     *
     * @param keys [batches][n]; each call uses the next batch
     * @param outstanding the maximum number of outstanding calls
     */
    SparseCalls(Worker worker, boolean push, TensorSpec table, long[][] keys, int outstanding) {
        int width = table.tensor().width();
        this.worker = worker;
        this.push = push;
        this.keys = keys;
        this.table = Tensors.init(worker, table);
        this.update = new float[push ? KEYS * width : 0];
        this.into = push ? new float[0][] : new float[outstanding][KEYS * width];
        java.util.Arrays.fill(update, 1e-3f);
    }

    /** Returns the spec of a table of a million rows. */
    static TensorSpec table(int width, OptimizerSpec optimizer) {
        return TensorSpec.table("table " + width, ROWS, width).optimizer(optimizer);
    }

    @Override
    public Pending<?> send(int slot) {
        long[] batch = keys[next++ % keys.length];
        return push
                ? Tensors.pushRows(worker, table, batch, update)
                : Tensors.pullRows(worker, table, batch, into[slot]);
    }

    @Override
    public void close() {
        Tensors.clear(worker, table);
    }
}
