package io.psf.builtin.optimizer;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.named.BadRequest;

/** The learning rate of a shard that is trained. Used on the shard's lane. */
public final class LearningRate {
    private LearningRate() {}

    /**
     * Sets the rate that replaces that of the optimizer, before the factor of a schedule.
     *
     * @throws PsException with {@code BAD_REQUEST} if the rate is not finite, or the optimizer has none that can be set,
     *     or does not take this one, alone or with a factor of its schedule
     */
    public static void set(Shard shard, float rate) {
        if (!Float.isFinite(rate)) {
            throw new PsException(PsException.Code.BAD_REQUEST, "learning rate: " + rate + " (expected: finite)");
        }
        TiledOptimizer now = onHost(shard);
        TiledOptimizer rated = BadRequest.ifIllegal(() -> now.atSetRate().requireRates(rate));
        replace(shard, now, rated);
        Progress.of(shard).setLearningRate(rate);
    }

    /** Forgets a rate that was set. */
    public static void forget(Shard shard) {
        if (SteppedByPushes.of(shard.optimizer())) {
            Progress.of(shard).forget();
        }
    }

    /** Uses the rate that a loaded shard had been set to. */
    public static void restore(Shard shard) {
        if (Progress.of(shard).hasLearningRate()) {
            TiledOptimizer now = onHost(shard);
            replace(shard, now, BadRequest.ifIllegal(now::atSetRate));
        }
    }

    @SuppressWarnings("ReferenceEquality") // optimizers have no equals
    private static void replace(Shard shard, TiledOptimizer now, TiledOptimizer rated) {
        if (rated != now) { // once: then each step asks for the rate
            shard.setOptimizer(rated);
        }
    }

    private static TiledOptimizer onHost(Shard shard) {
        if (shard.optimizer() instanceof SteppedByPushes formula) {
            return formula.onHost();
        }
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "learning rate of " + shard.optimizer()
                        + ": not settable (expected: a formula; for an optimizer of your own, set another optimizer)");
    }
}
