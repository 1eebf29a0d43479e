package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.PsOptimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.internal.named.NamedClasses;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.gpu.Rule;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleKernelTest {
    private static final float[] ARGUMENTS = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f};

    /** The optimizer of psf that only the host has. */
    private static final String ON_HOST = "psf.all-rows-adam";

    @Test
    void theKernelsHaveTheOptimizersOfPsf() {
        List<OptimizerSpec> specs = Arrays.stream(Rule.values())
                .map(rule -> Optimizers.of((Record) rule.kernel(ARGUMENTS)))
                .toList();
        assertThat(specs.stream().map(OptimizerSpec::name))
                .containsExactlyInAnyOrderElementsOf(
                        NamedClasses.on(RuleKernelTest.class.getClassLoader(), PsOptimizer.class).names().stream()
                                .filter(name -> name.startsWith("psf.") && !name.equals(ON_HOST))
                                .toList());
        for (OptimizerSpec spec : specs) {
            Optimizer optimizer = spec.create();
            assertThat(RuleKernel.of(optimizer).rule()).isEqualTo(((TiledOptimizer) optimizer).kernel());
        }
    }

    @Test
    void formulasWithoutAKernelAndOptimizersOfUsersAreRefused() {
        record Halving() implements Kernel {
            @Override
            public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
                throw new UnsupportedOperationException();
            }
        }
        record Own() implements Optimizer {
            @Override
            public void apply(Shard shard, FloatArray update) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void apply(Shard shard, LongArray keys, FloatArray update) {
                throw new UnsupportedOperationException();
            }
        }
        for (Optimizer optimizer : List.of(
                new TiledOptimizer("acme.halving", new Halving()),
                new Own(),
                Optimizers.ftrl(0.1, 1, 0.5, 0.1, 0.7).create())) {
            assertThatThrownBy(() -> RuleKernel.of(optimizer))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                    .hasMessageStartingWith("BAD_REQUEST: optimizer " + optimizer
                            + ": has no kernel (expected on a device: one of psf other than allRowsAdam and ftrl with"
                            + " an initial accumulator, such as adam)");
        }
    }
}
