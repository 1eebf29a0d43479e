package io.psf.builtin.tensor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.image.Declaration;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.policy.PolicyOptions;
import io.psf.testkit.TestShard;
import org.junit.jupiter.api.Test;

class FirstValuesTest {
    private record Failing() implements Generator {
        @Override
        public float value(long element) {
            throw new ArithmeticException("a mistake");
        }
    }

    @Test
    void anInitializerWhoseCodeThrowsIsNamedWithItsTensor() {
        FirstValues values = new FirstValues(
                TensorId.of("w"), new Failing(), Rounds.NONE, PolicyOptions.NONE, 1, new Declaration("[2, 1]"));
        TestShard shard = TestShard.whole(2, 1, Optimizers.add().create());
        String message = "HANDLER_FAILED: initializer of tensor \"w\" (" + Failing.class.getName()
                + ") threw java.lang.ArithmeticException: a mistake";
        assertThatThrownBy(() -> values.fill(shard))
                .isInstanceOf(PsException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> values.fillRow(5, FloatArray.allocate(3))).hasMessage(message);
    }
}
