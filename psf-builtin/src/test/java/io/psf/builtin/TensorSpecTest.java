package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import org.junit.jupiter.api.Test;

class TensorSpecTest {
    @Test
    void theDeclarationTellsEverythingOnOneLine() {
        TensorSpec spec = TensorSpec.table("emb", 1000, 16)
                .initializer(Initializers.normal(0, 0.01, 7))
                .optimizer(Optimizers.adam(0.1f))
                .updates(Updates.MEAN)
                .slices(4);
        assertThat(spec.declaration())
                .isEqualTo("[1000, 16] slices=4 initializer=psf.normal(mean=0.0, seed=7, stddev=0.01) "
                        + "optimizer=psf.adam(b1=0.9, b2=0.999, eps=1.0E-8, lr=0.1) updates=MEAN");
    }

    @Test
    void theDefaultsAreZerosAddedAsEachPushArrives() {
        assertThat(TensorSpec.dense("w", 128).declaration())
                .isEqualTo(
                        "[128, 1] slices=-1 initializer=psf.constant(value=0.0) optimizer=psf.add(scale=1.0) updates=EACH");
    }

    @Test
    void eachThingSaidChangesTheDeclaration() {
        TensorSpec spec = TensorSpec.dense("w", 128, 2);
        assertThat(new String[] {
                    spec.declaration(),
                    TensorSpec.dense("w", 128, 3).declaration(),
                    spec.slices(3).declaration(),
                    spec.beside(TensorId.of("v")).declaration(),
                    spec.updates(Updates.SUM).declaration(),
                    spec.optimizer(Optimizers.assign()).declaration(),
                    spec.optimizer(Optimizers.sgd(1)).declaration(),
                    spec.initializer(Initializers.constant(5)).declaration(),
                    spec.initializer(Initializers.uniform(-1, 1, 1)).declaration(),
                    spec.initializer(Initializers.uniform(-1, 1, 2)).declaration()
                })
                .doesNotHaveDuplicates();
    }

    @Test
    void argumentsAreCheckedWhereTheyAreGiven() {
        assertThatThrownBy(() -> Initializers.normal(0, -1, 7)).hasMessage("stddev: -1.0 (expected: > 0)");
        assertThatThrownBy(() -> Optimizers.momentum(0.1f, 1.5f)).hasMessage("m: 1.5 (expected: in [0, 1))");
        assertThatThrownBy(() -> TensorSpec.dense("w", 0)).hasMessage("rows of tensor \"w\": 0 (expected: >= 1)");
        assertThatThrownBy(() -> TensorSpec.dense("w", 3).slices(4))
                .hasMessage(
                        "slices of tensor \"w\": 4 (expected: 1 to 3 rows, 0 for one per server, or -1 for pieces of about 256 KB)");
    }

    @Test
    void alternativesOfAPlacementAreNamesWithoutBlanks() {
        TensorSpec spec = TensorSpec.dense("w", 3);
        assertThat(spec.placement(" device:0 , host").placement()).isEqualTo("device:0,host");
        assertThat(spec.placement(" host")).isEqualTo(spec);
        assertThatThrownBy(() -> spec.placement("device,"))
                .hasMessage("placement of tensor \"w\": \"device,\" (expected: a name, such as \"host\", or several"
                        + " separated by commas)");
        assertThatThrownBy(() -> spec.placement("device,,host")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> spec.placement(" ")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDeviceIsAPlacement() {
        TensorSpec spec = TensorSpec.dense("w", 3);
        assertThat(spec.device()).isEqualTo(spec.placement("device").slices(0));
        assertThat(spec.deviceOrHost()).isEqualTo(spec.placement("device, host").slices(0));
        assertThat(spec.slices(3).device()).isEqualTo(spec.placement("device").slices(3));
    }

    @Test
    void anOptimizerIsMadeOfItsSpec() {
        assertThat(Optimizers.sgd(0.5f).create()).hasToString("Sgd[lr=0.5]");
    }
}
