package io.psf.builtin.push;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.TestShard;
import org.junit.jupiter.api.Test;

class UpdateTest {
    private record FailingFormula() implements Kernel {
        @Override
        public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
            throw new ArithmeticException("a mistake");
        }
    }

    private record Failing() implements Optimizer {
        @Override
        public void apply(Shard shard, FloatArray update) {
            throw new ArithmeticException("a mistake");
        }

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {
            throw new ArithmeticException("a mistake");
        }
    }

    @Test
    void anOptimizerWhoseCodeThrowsIsNamed() {
        Optimizer formula = new TiledOptimizer("acme.lion", new FailingFormula());
        for (LongArray keys : new LongArray[] {null, LongArray.of(0, 1)}) {
            Update update = new Update(keys, FloatArray.allocate(2));
            assertThatThrownBy(() -> update.applyTo(TestShard.whole(2, 1, formula)))
                    .isInstanceOf(PsException.class)
                    .hasMessage("HANDLER_FAILED: optimizer acme.lion (" + FailingFormula.class.getName()
                            + ") threw java.lang.ArithmeticException: a mistake")
                    .hasCauseInstanceOf(ArithmeticException.class);
            assertThatThrownBy(() -> update.applyTo(TestShard.whole(2, 1, new Failing())))
                    .hasMessageContainingAll(Failing.class.getName(), "a mistake");
        }
    }
}
