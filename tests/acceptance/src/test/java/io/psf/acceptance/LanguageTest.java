package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can be declared, on whole clusters. */
@Timeout(60)
final class LanguageTest {
    @ParameterizedTest
    @EnumSource(Over.class)
    void theOwnerOfAKeyAnswersEveryWorkerAlone(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            Set<Integer> servers = new HashSet<>();
            for (long key = 0; key < 20; key++) {
                TallyPsf.Stub first = TallyPsf.stub(cluster.worker(0));
                TallyPsf.Stub second = TallyPsf.stub(cluster.worker(1));
                Tally.Response one = first.call(key, 2).await();
                Tally.Response two = second.call(key, 3).await();
                assertThat(one.count()).isEqualTo(2);
                assertThat(two).isEqualTo(new Tally.Response(5, one.server()));
                servers.add(one.server());
            }
            assertThat(servers).containsExactlyInAnyOrder(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aFunctionReadsTheSameSliceOfAnotherTensor(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker(0);
            TensorId y = Tensors.init(worker, ones("y", 103, 2).slices(7));
            TensorId x = Tensors.init(worker, ones("x", 103, 2).slices(7));
            TensorId longer = Tensors.init(worker, ones("longer", 300, 2).slices(7));
            TensorId fewer = Tensors.init(worker, ones("fewer", 103, 2).slices(1));
            AddTensorPsf.Stub add = AddTensorPsf.stub(worker);

            assertThat(add.call(y, 2, x).await().squaredNorm()).isEqualTo(103 * 2 * 9);
            assertThat(Tensors.pull(worker, y)).containsOnly(3);
            assertThat(Tensors.pull(worker, x)).containsOnly(1);
            for (TensorId other : List.of(longer, fewer, TensorId.of("unknown"))) {
                PsException e = catchThrowableOfType(
                        PsException.class, () -> add.call(y, 1, other).await());
                assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST);
                assertThat(e).hasMessageContaining("tensor " + other + " beside y");
            }
        }
    }

    private static TensorSpec ones(String name, int rows, int width) {
        return TensorSpec.dense(name, rows, width).initializer(Initializers.constant(1));
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void rowsOfDifferentLengthsAndKeysOfServersComeBack(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 1)) {
            Worker worker = cluster.worker(0);
            TensorId nodes = Tensors.init(worker, TensorSpec.dense("nodes", 100, 1));
            GraphPsf.Stub graph = GraphPsf.stub(worker);
            LongArray none = LongArray.allocate(0);
            LongArray from = LongArray.of(99, 0, 50);
            graph.call(nodes, "knows", from, IntArray.of(2, 1, 3), LongArray.of(1, 2, 3, 4, 5, 6), none)
                    .await();
            graph.call(nodes, null, LongArray.of(7), IntArray.of(1), LongArray.of(8), none)
                    .await();

            Graph.Response answer = graph.call(
                            nodes, null, none, IntArray.allocate(0), none, LongArray.of(50, 7, 99, 12, 50))
                    .await();

            assertThat(answer.counts()).isEqualTo(IntArray.of(3, 0, 2, 0, 3));
            assertThat(answer.neighbors()).isEqualTo(LongArray.of(4, 5, 6, 1, 2, 4, 5, 6));
            assertThat(answer.connected()).isEqualTo(LongArray.of(0, 7, 50, 99));
        }
    }
}
