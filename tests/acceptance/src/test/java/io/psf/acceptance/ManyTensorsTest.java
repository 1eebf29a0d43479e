package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tensors that are made together. */
@Timeout(120)
@Tag("long")
final class ManyTensorsTest {
    private static final int MANY = 10_000;

    private static List<TensorSpec> specs(String prefix) {
        return IntStream.range(0, MANY)
                .mapToObj(i -> TensorSpec.dense(prefix + i, 100).initializer(Initializers.constant(i)))
                .toList();
    }

    @Test
    void tenThousandTensorsAreMadeInOne() {
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(2).tcp().start()) {
            Worker worker = cluster.worker();
            long begin = System.nanoTime();
            List<TensorId> tensors = Tensors.init(worker, specs("t"));
            long together = System.nanoTime() - begin;
            begin = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                Tensors.init(worker, TensorSpec.dense("alone" + i, 100));
            }
            long alone = (System.nanoTime() - begin) * (MANY / 1000);
            System.out.printf(
                    "%,d tensors: %d ms together, %d ms one after another%n",
                    MANY, together / 1_000_000, alone / 1_000_000);
            assertThat(tensors).hasSize(MANY);
            assertThat(Tensors.pull(cluster.worker(1), tensors.get(7)))
                    .hasSize(100)
                    .containsOnly(7);
            assertThat(Tensors.pull(worker, tensors.get(MANY - 1))).containsOnly(MANY - 1);
            assertThat(Tensors.init(cluster.worker(1), specs("t")))
                    .as("the same again")
                    .isEqualTo(tensors);
            assertThat(Tensors.list(worker)).hasSize(MANY + 1000);
            assertThat(together).isLessThan(alone);
        }
    }

    @Test
    void tensorsOfOneListMayBeBesideEachOtherAndHaveValues() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorId> made = Tensors.init(
                    worker,
                    List.of(
                            TensorSpec.table("rows", 10, 4),
                            TensorSpec.dense("beside", 20).slices(0).beside(TensorId.of("rows")),
                            TensorSpec.dense("given", 3).initializer(Initializers.of(new float[] {1, 2, 3}))));
            assertThat(made).extracting(TensorId::name).containsExactly("rows", "beside", "given");
            assertThat(worker.layout(made.get(1)).meets(worker.layout(made.get(0))))
                    .isTrue();
            assertThat(Tensors.pull(worker, made.get(2))).containsExactly(1, 2, 3);
            assertThat(Tensors.init(worker, List.of())).isEmpty();
        }
    }

    @Test
    void aListWithAContradictionDeclaresNothing() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("w", 3));
            assertThatThrownBy(() -> Tensors.init(worker, List.of(TensorSpec.dense("v", 3), TensorSpec.dense("w", 4))))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("declaration of tensor \"w\": [4, 1]");
            assertThatThrownBy(() -> worker.layout(TensorId.of("v")))
                    .isInstanceOf(PsException.class)
                    .hasMessage("UNKNOWN_TENSOR: tensor: \"v\" (expected: one that has been initialized)");
            assertThat(Tensors.init(worker, TensorSpec.dense("v", 5)).name()).isEqualTo("v");
        }
    }
}
