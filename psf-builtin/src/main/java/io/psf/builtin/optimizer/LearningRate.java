package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.internal.named.BadRequest;

/** The learning rate of a shard that is trained. Used on the shard's lane. */
public final class LearningRate {
    private LearningRate() {}

    /**
     * Sets the rate that replaces the optimizer's rate, before the factor of a schedule.
     *
     * @throws PsException with {@code BAD_REQUEST} if the rate is negative or not finite, or the optimizer has none
     *     that can be set, or does not take this one, alone or with a factor of its schedule
     */
    public static void set(Shard shard, float rate) {
        if (!(rate >= 0) || !Float.isFinite(rate)) {
            throw new PsException(PsException.Code.BAD_REQUEST, "learning rate: " + rate + " (expected: >= 0)");
        }
        shard.setOptimizer(BadRequest.ifIllegal(() -> rated(shard).requireRates(rate)));
        Progress.of(shard).setLearningRate(rate);
    }

    /**
     * Replaces the optimizer of a shard, and forgets a rate that was set. If the shard does not take the optimizer,
     * nothing changes.
     */
    public static void replace(Shard shard, Optimizer optimizer) {
        boolean wasCounted = TiledOptimizer.dependsOnPushes(shard);
        shard.setOptimizer(optimizer);
        if (wasCounted) {
            Progress.of(shard).forget();
        }
    }

    /** Uses the rate that a loaded shard had been set to. */
    public static void restore(Shard shard) {
        if (Progress.of(shard).hasLearningRate()) {
            shard.setOptimizer(rated(shard));
        }
    }

    /** Returns the optimizer of a shard, at the rate that is set. */
    private static TiledOptimizer rated(Shard shard) {
        TiledOptimizer tiled = TiledOptimizer.of(shard);
        if (tiled == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "learning rate of " + shard.optimizer()
                            + ": cannot be set (expected: a formula; replace another optimizer with"
                            + " Tensors.setOptimizer)");
        }
        return BadRequest.ifIllegal(tiled::atSetRate);
    }
}
