package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.push.Pushes;
import io.psf.testkit.TestShard;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pushes to a shard whose optimizer steps rows elsewhere, as on a device, are those to a shard in host memory. */
class OffHostOptimizerTest {
    static Stream<OptimizerSpec> optimizers() {
        return Stream.of(
                Optimizers.sgd(0.1),
                Optimizers.lazyAdam(0.1),
                Optimizers.lamb(0.1),
                Optimizers.adam(0.1).clipValue(0.5).clipNorm(0.7).weightDecay(0.1),
                Optimizers.momentum(0.1, 0.9).schedule(Schedule.linear(6, 0).warmUp(2)));
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void stepsAreCountedRatedAndSummed(OptimizerSpec spec) {
        TestShard host = shard(spec);
        TestShard elsewhere = shard(spec);
        moveAway(elsewhere);
        for (int step = 0; step < 5; step++) {
            if (step == 3) {
                for (TestShard shard : List.of(host, elsewhere)) {
                    LearningRate.set(shard, 0.3f);
                }
                moveAway(elsewhere);
            }
            for (TestShard shard : List.of(host, elsewhere)) {
                Pushes pushes = Pushes.of(shard);
                var one = pushes.dense(FloatArray.of(1, -2, 3, 0.5f), () -> "");
                var none = pushes.sparse(LongArray.of(), FloatArray.of(), () -> ""); // a step of the tensor, too
                var some = pushes.sparse(LongArray.of(3, 1, 3), FloatArray.of(1, 2, 3), () -> "");
                assertThat(List.of(one, none, some))
                        .allMatch(each -> each.toCompletableFuture().isDone());
            }
            assertThat(elsewhere.values()).isEqualTo(host.values());
            assertThat(Progress.steps(elsewhere)).isEqualTo(Progress.steps(host));
        }
    }

    @Test
    void aStepThatNeedsSumsIsRefusedOnAPartOfItsTensor() {
        TestShard part =
                TestShard.of(new Range(0, 4), 8, 1, Optimizers.lamb(0.1).create());
        moveAway(part);
        assertThatThrownBy(() -> part.optimizer().apply(part, FloatArray.allocate(4)))
                .hasMessageContaining("needs sums over all slices");
    }

    private static TestShard shard(OptimizerSpec spec) {
        TestShard shard = TestShard.whole(4, 1, spec.create());
        shard.values().copyFrom(FloatArray.of(0.1f, 0.2f, 0.3f, 0.4f));
        return shard;
    }

    /** Makes the shard's optimizer step rows through the seam. */
    private static void moveAway(TestShard shard) {
        TiledOptimizer tiled = (TiledOptimizer) shard.optimizer();
        shard.setOptimizer(new Elsewhere(tiled, shard));
    }

    private record Elsewhere(TiledOptimizer tiled, Shard shard) implements OffHostOptimizer {
        @Override
        public PushedRows pushed(@Nullable LongArray keys, FloatArray update) {
            return new TiledRows(shard, keys, update);
        }

        @Override
        public void apply(Shard given, FloatArray update) {
            tiled.complete(given, pushed(null, update));
        }

        @Override
        public void apply(Shard given, LongArray keys, FloatArray update) {
            tiled.complete(given, pushed(keys, update));
        }
    }
}
