package io.psf.builtin.optimizer;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * One step of a shard that has begun: it takes the sums over the whole tensor that it needs, one array after the other,
 * and then changes the shard. Used on the shard's lane; other steps may begin and end meanwhile.
 */
public final class Step {
    private final Options options;
    private final Shard shard;
    private final Push push;
    private final int stepsOfTensor;
    private Kernel kernel;
    private float scale = 1;
    private boolean isClipped;

    /** The rows, null for all, and their update. */
    record Push(@Nullable LongArray keys, FloatArray update) {}

    Step(Kernel kernel, Options options, Shard shard, Push push, int stepsOfTensor) {
        this.kernel = kernel;
        this.options = options;
        this.shard = shard;
        this.push = push;
        this.stepsOfTensor = stepsOfTensor;
        this.isClipped = options.clipNorm() == 0;
    }

    /** True if the step needs further sums. */
    public boolean needsSums() {
        return !isClipped || kernel instanceof TensorKernel;
    }

    /** Returns this shard's part of the next sums. */
    public double[] sums() {
        TensorKernel summing = !isClipped ? new SquaredNorm() : (TensorKernel) kernel;
        float decay = isClipped ? options.weightDecay() : 0;
        Gradients gradients = Gradients.of(options.withWeightDecay(decay), scale);
        LongArray keys = push.keys();
        int[] rows = keys == null ? null : rows(keys); // first: a growing table reallocates its arrays
        SumWalk walk = new SumWalk(summing, gradients, stepsOfTensor, shard, push.update(), TiledOptimizer.tiles());
        walk.add(rows, keys == null ? shard.rows() : keys.length());
        return walk.sums();
    }

    /**
     * Takes the next sums.
     *
     * @param totals over all slices
     */
    public void take(double[] totals) {
        if (isClipped) {
            kernel = ((TensorKernel) kernel).with(totals);
            return;
        }
        double norm = Math.sqrt(totals[0]);
        scale = norm > options.clipNorm() ? (float) (options.clipNorm() / norm) : 1;
        isClipped = true;
    }

    /** Changes the shard. */
    public void apply() {
        Gradients gradients = Gradients.of(options, scale);
        LongArray keys = push.keys();
        int[] rows = keys == null ? null : rows(keys); // first: a growing table reallocates its arrays
        int count = keys == null ? shard.rows() : keys.length();
        if (kernel instanceof RowKernel byRow) {
            new RowWalk(byRow, gradients, stepsOfTensor, shard, push.update()).step(rows, count);
            return;
        }
        Walk walk = new Walk(kernel, gradients, stepsOfTensor, shard, push.update(), TiledOptimizer.tiles());
        if (rows == null) {
            walk.allRows(count);
        } else {
            walk.rows(rows, count);
        }
    }

    private int[] rows(LongArray keys) {
        int[] rows = TiledOptimizer.tiles().rows(keys.length());
        shard.rows(keys, rows);
        return rows;
    }
}
