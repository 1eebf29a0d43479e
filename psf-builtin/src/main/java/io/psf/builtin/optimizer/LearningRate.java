package io.psf.builtin.optimizer;

import io.psf.api.PsException;
import io.psf.api.Shard;

/** The learning rate of a shard that is trained. Used on the shard's lane. */
public final class LearningRate {
    private LearningRate() {}

    /**
     * Sets the rate that replaces that of the optimizer, before the factor of a schedule.
     *
     * @throws PsException with {@code BAD_REQUEST} if the rate is not finite, or the optimizer has none that can be set
     */
    public static void set(Shard shard, float rate) {
        if (!Float.isFinite(rate)) {
            throw new PsException(PsException.Code.BAD_REQUEST, "learning rate: " + rate + " (expected: finite)");
        }
        use(shard);
        Progress.of(shard).setLearningRate(rate);
    }

    /** Forgets a rate that was set. */
    public static void forget(Shard shard) {
        if (shard.optimizer() instanceof TiledOptimizer tiled && !tiled.isPlain()) {
            Progress.of(shard).forget();
        }
    }

    /** Uses the rate that a loaded shard had been set to. */
    public static void restore(Shard shard) {
        if (Progress.of(shard).hasLearningRate()) {
            use(shard);
        }
    }

    private static void use(Shard shard) {
        if (!(shard.optimizer() instanceof TiledOptimizer tiled)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "learning rate of " + shard.optimizer() + ": not settable (expected: a formula in host memory; on a"
                            + " device, or for an optimizer of your own, set another optimizer)");
        }
        shard.setOptimizer(tiled.atSetRate());
    }
}
