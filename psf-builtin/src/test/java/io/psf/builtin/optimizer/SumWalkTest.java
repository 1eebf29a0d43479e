package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.ForwardingShard;
import io.psf.builtin.Optimizers;
import io.psf.testkit.TestShard;
import org.junit.jupiter.api.Test;

/** A pass for the sums of a formula reads the weights only if the sums need them. */
final class SumWalkTest {
    private static final FloatArray UPDATE = FloatArray.of(1, -2, 3, 4, -5, 6);

    /** A shard of 3 rows that counts how often its weights are asked for. */
    private static final class CountedReads extends ForwardingShard {
        private int reads;

        CountedReads() {
            super(TestShard.whole(3, 2, Optimizers.sgd(1).create()));
            super.values().copyFrom(0, FloatArray.of(1, 1, 2, 2, 3, 3));
        }

        @Override
        public FloatArray values() {
            reads++;
            return super.values();
        }
    }

    private final CountedReads shard = new CountedReads();

    @Test
    void theNormOfADenseUpdateReadsNoWeights() {
        double[] sums = new TiledRows(shard, null, UPDATE).sums(new SquaredNorm(), null, 0);
        assertThat(sums).containsExactly(91);
        assertThat(shard.reads).isZero();
    }

    @Test
    void theNormOfRowsThatAreScaledReadsNoWeights() {
        double[] sums = new TiledRows(shard, LongArray.of(2, 0), FloatArray.of(1, 2, 3, 4))
                .sums(new SquaredNorm(), new Gradients(3, 2, 0), 0);
        assertThat(sums)
                .as("2^2 + 4^2 + 6^2 + 6^2, clipped to 3 before the factor")
                .containsExactly(92);
        assertThat(shard.reads).isZero();
    }

    @Test
    void weightDecayInTheGradientsReadsTheWeights() {
        double[] sums = new TiledRows(shard, LongArray.of(2), FloatArray.of(1, 2)).sums(new SquaredNorm(), decay(2), 0);
        assertThat(sums).as("(1 + 2 3)^2 + (2 + 2 3)^2").containsExactly(113);
        assertThat(shard.reads).isEqualTo(1);
    }

    @Test
    void theNormOfTheWeightsReadsThem() {
        double[] sums = new TiledRows(shard, null, UPDATE).sums(new Lamb(0.1f, 0.9f, 0.999f, 1e-6f, 0), null, 1);
        assertThat(sums[0]).as("1 + 1 + 4 + 4 + 9 + 9").isEqualTo(28);
        assertThat(shard.reads).isEqualTo(1);
    }

    private static Gradients decay(float factor) {
        return new Gradients(0, 1, factor);
    }
}
