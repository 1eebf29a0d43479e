package io.psf.builtin.optimizer;

import io.psf.api.Checkpointed;
import io.psf.api.Shard;
import io.psf.api.spi.Attachments;
import io.psf.builtin.internal.named.BadRequest;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The number of steps of a tensor, and the learning rate that was set while it was trained. Attached to the shards of
 * an optimizer that needs them, used on the lane, saved and loaded with the shard. Each shard counts for itself: every
 * push reaches every slice, if need be without rows.
 */
public final class Progress implements Checkpointed {
    private long steps;
    /** The learning rate that was set; NaN for the optimizer's rate. */
    private float set = Float.NaN;

    /** The formula at the last rate. Null before the first step, and for the rate of the optimizer. */
    private @Nullable Kernel current;

    private float rateOfCurrent = Float.NaN;
    private @Nullable TiledOptimizer optimizerOfCurrent;

    private Progress() {}

    static Progress of(Shard shard) {
        return shard.attachment(Progress.class, Progress::new);
    }

    /** Returns the number of steps of a shard, 0 if its optimizer does not need it. */
    public static long steps(Shard shard) {
        return isNeeded(shard)
                ? shard.findAttachment(Progress.class, Progress::new)
                        .map(progress -> progress.steps)
                        .orElse(0L)
                : 0;
    }

    /** Sets the number of steps of a shard, if its optimizer needs it. */
    public static void setSteps(Shard shard, long steps) {
        if (isNeeded(shard)) {
            of(shard).steps = steps;
        }
    }

    /** Sets the number of steps of a shard to the number in saved attachments. The rate that was set stays. */
    public static void setSteps(Shard shard, Attachments saved) {
        setSteps(
                shard,
                saved.find(Progress.class, Progress::new)
                        .map(progress -> progress.steps)
                        .orElse(0L));
    }

    private static boolean isNeeded(Shard shard) {
        return TiledOptimizer.dependsOnPushes(shard);
    }

    /** Counts a step, and returns its number, from 1. */
    long next() {
        return ++steps;
    }

    /** Sets the learning rate that replaces the optimizer's rate, before the schedule's factor. */
    void setLearningRate(float rate) {
        set = rate;
    }

    /** Returns the learning rate that was set; otherwise the optimizer's rate. */
    float learningRate(float ofOptimizer) {
        return Float.isNaN(set) ? ofOptimizer : set;
    }

    /** True if a learning rate was set. */
    boolean hasLearningRate() {
        return !Float.isNaN(set);
    }

    /** Returns an optimizer's formula at a rate: the one of the last step, or another. */
    @SuppressWarnings("ReferenceEquality") // another optimizer may have the same name
    Kernel at(float rate, TiledOptimizer of) {
        Kernel kernel = current;
        if (kernel == null || rate != rateOfCurrent || of != optimizerOfCurrent) {
            kernel = BadRequest.ifIllegal(() -> of.at(rate));
            current = kernel;
            rateOfCurrent = rate;
            optimizerOfCurrent = of;
        }
        return kernel;
    }

    /** Forgets the rate that was set, and the formula, since the shard gets another optimizer. */
    void forget() {
        set = Float.NaN;
        current = null;
    }

    @Override
    public void saveTotal(DataOutput out) throws IOException {
        out.writeLong(steps);
        out.writeFloat(set);
    }

    @Override
    public void loadTotal(DataInput in) throws IOException {
        steps = Math.max(steps, in.readLong());
        float saved = in.readFloat();
        set = Float.isNaN(saved) ? set : saved;
    }

    /** All shards have made the same steps. */
    @Override
    public void loadOverlappingTotal(DataInput in) throws IOException {
        loadTotal(in);
    }
}
