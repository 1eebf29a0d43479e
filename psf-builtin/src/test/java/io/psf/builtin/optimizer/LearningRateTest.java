package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Optimizers;
import io.psf.testkit.TestShard;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class LearningRateTest {
    @Test
    void anOptimizerThatAFunctionSetsIsUsed() {
        Schedule schedule = Schedule.step(100, 0.5);
        TestShard shard =
                TestShard.whole(1, 1, Optimizers.sgd(1).schedule(schedule).create());
        shard.optimizer().apply(shard, FloatArray.of(1));
        shard.setOptimizer(Optimizers.adaGrad(1, 0, 1).schedule(schedule).create());
        shard.optimizer().apply(shard, FloatArray.of(1));
        assertThat(shard.values().get(0)).isEqualTo(-1.5f);
    }

    @Test
    void aRefusedOptimizerDoesNotForgetTheRateThatWasSet() {
        TestShard shard = TestShard.whole(1, 1, Optimizers.sgd(1).create());
        LearningRate.set(shard, 0.25f);
        assertThatThrownBy(() ->
                        LearningRate.replace(refusing(shard), Optimizers.lamb(1).create()))
                .isInstanceOf(PsException.class);
        shard.optimizer().apply(shard, FloatArray.of(1));
        assertThat(shard.values().get(0)).isEqualTo(-0.25f);
        LearningRate.replace(shard, Optimizers.sgd(2).create());
        shard.optimizer().apply(shard, FloatArray.of(1));
        assertThat(shard.values().get(0)).isEqualTo(-2.25f);
    }

    /** A request need not come from {@code Tensors}. */
    @Test
    void aServerRefusesARateThatIsNegativeOrNotFinite() {
        TestShard shard = TestShard.whole(1, 1, Optimizers.sgd(1).create());
        for (float rate : new float[] {-1, Float.NaN, Float.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> LearningRate.set(shard, rate))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("learning rate: " + rate + " (expected: >= 0)");
        }
    }

    /** Returns a shard that takes no optimizer, as a device that has no kernel of it. */
    private static Shard refusing(TestShard shard) {
        return (Shard) Proxy.newProxyInstance(
                Shard.class.getClassLoader(), new Class<?>[] {Shard.class}, (self, method, a) -> {
                    if (method.getName().equals("setOptimizer")) {
                        throw new PsException(PsException.Code.BAD_REQUEST, "optimizer: has no kernel");
                    }
                    try {
                        return method.invoke(shard, a);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
