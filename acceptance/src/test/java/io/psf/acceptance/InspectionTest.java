package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Node;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inspection of a running cluster. */
final class InspectionTest {
    @ParameterizedTest
    @EnumSource(Clusters.Over.class)
    void tensorsAreListedWithRowsAndMemory(Clusters.Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId grown = Tensors.init(
                    worker, TensorSpec.growing("grown", 8).slices(4).optimizer(Optimizers.adam(0.1, 0.9, 0.999, 1e-8)));
            Tensors.init(worker, TensorSpec.table("counted", 10, 3).placement(CountingFactory.COUNTING));
            Tensors.init(worker, TensorSpec.dense("w", 1 << 20));
            Tensors.pushRows(worker, grown, new long[] {3, -1, 77}, new float[24]).await();

            TensorSummary counted = Tensors.list(worker).get(0);
            assertThat(counted.placements()).containsExactly(CountingFactory.COUNTING);
            assertThat(counted.bytes()).isEqualTo(new ShardBytes(10 * 3 * 4, 0, 0));

            TensorSummary table = Tensors.list(worker).get(1);
            assertThat(table.tensor().id()).isEqualTo(grown);
            assertThat(table.slices()).isEqualTo(4);
            assertThat(table.rows()).isEqualTo(3);
            assertThat(table.parts()).extracting(TensorSummary.Part::server).containsExactly(0, 1);
            assertThat(table.bytes().values()).isEqualTo(3 * 8 * 4);
            assertThat(table.bytes().slots()).isGreaterThanOrEqualTo(2 * 3 * 8 * 4);
            assertThat(table.bytes().index()).isGreaterThan(4 * 1024 * 8);

            TensorSummary dense = Tensors.list(worker).get(2);
            assertThat(dense.bytes()).isEqualTo(new ShardBytes(4 << 20, 0, 0));
            assertThat(dense.slices()).isEqualTo(16);
            assertThat(dense.placements()).containsExactly(Node.HOST);
        }
    }
}
