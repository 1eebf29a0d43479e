package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Caller;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.RemoveRows;
import io.psf.builtin.sparse.RemoveRowsPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SampleNeighborTest {
    private static final TensorId GRAPH = TensorId.of("graph");
    private static final int NODES = 60;
    /** Node i points to i + 1, ..., i + i % 15, around the circle: node 0 to nobody. */
    private static final long[] SOURCES = IntStream.range(0, NODES)
            .flatMap(node -> IntStream.range(0, node % 15).map(edge -> node))
            .asLongStream()
            .toArray();

    private static final long[] TARGETS = IntStream.range(0, NODES)
            .flatMap(node -> IntStream.rangeClosed(1, node % 15).map(edge -> (node + edge) % NODES))
            .asLongStream()
            .toArray();

    private static SampleNeighbor.Response sample(Caller worker, LongArray keys, int count, long seed) {
        LoadNeighborsPsf.stub(worker)
                .call(GRAPH, LongArray.wrap(SOURCES), LongArray.wrap(TARGETS))
                .await();
        return SampleNeighborPsf.stub(worker).call(GRAPH, keys, count, seed).await();
    }

    /** The part of the answer that belongs to the key at a position. */
    private static LongArray at(SampleNeighbor.Response drawn, int position) {
        int begin = IntStream.range(0, position).map(drawn.counts()::get).sum();
        return drawn.neighbors().slice(begin, begin + drawn.counts().get(position));
    }

    @Test
    void drawsTheSameOnAnySlices() {
        LongArray keys = LongArray.wrap(LongStream.range(0, NODES).toArray());
        for (int seed = 0; seed < 20; seed++) {
            int number = seed;
            SampleNeighbor.Response drawn = PsfTest.of(SampleNeighborPsf.bind(new SampleNeighbor() {}))
                    .and(LoadNeighborsPsf.bind(new LoadNeighbors() {}))
                    .tensor(GRAPH, NODES, 1)
                    .sameOnAnySlices(cluster -> sample(cluster, keys, 6, number));
            for (int node = 0; node < NODES; node++) {
                requireNeighbors(node, at(drawn, node), 6);
            }
        }
    }

    @Test
    void aNodeThatWasRemovedHasNoNeighborsAndTheOthersKeepTheirs() {
        LongArray keys = LongArray.wrap(LongStream.range(0, NODES + 5).toArray());
        SampleNeighbor.Response drawn = PsfTest.of(SampleNeighborPsf.bind(new SampleNeighbor() {}))
                .and(LoadNeighborsPsf.bind(new LoadNeighbors() {}))
                .and(RemoveRowsPsf.bind(new RemoveRows() {}))
                .growing(GRAPH, 1)
                .sameOnAnySlices(cluster -> {
                    var unused = sample(cluster, keys, 6, 1);
                    RemoveRowsPsf.stub(cluster)
                            .call(GRAPH, LongArray.of(13, 14, 28, 59))
                            .await();
                    return SampleNeighborPsf.stub(cluster)
                            .call(GRAPH, keys, 6, 1)
                            .await();
                });
        for (int node = 0; node < NODES + 5; node++) {
            if (node == 13 || node == 14 || node == 28 || node >= 59) {
                assertThat(at(drawn, node).length()).as("node %s", node).isZero();
            } else {
                requireNeighbors(node, at(drawn, node), 6);
            }
        }
    }

    private static void requireNeighbors(int node, LongArray drawn, int count) {
        int degree = node % 15;
        assertThat(drawn.toArray())
                .as("node %s", node)
                .hasSize(Math.min(count, degree))
                .doesNotHaveDuplicates();
        assertThat(LongStream.of(drawn.toArray()).map(each -> Math.floorMod(each - node, NODES)))
                .as("node %s", node)
                .allMatch(step -> 1 <= step && step <= degree);
    }

    @Test
    void everyNeighborIsDrawnAboutAsOften() {
        LongArray key = LongArray.of(14); // 15 to 28
        int[] times = new int[15];
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("graph", NODES));
            sample(worker, key, 1, 0);
            for (int seed = 0; seed < 1400; seed++) {
                LongArray drawn = SampleNeighborPsf.stub(worker)
                        .call(GRAPH, key, 1, seed)
                        .await()
                        .neighbors();
                times[(int) drawn.get(0) - 14]++;
            }
        }
        for (int step = 1; step <= 14; step++) {
            assertThat(times[step]).as("neighbour %s", 14 + step).isBetween(50, 150); // 100 give or take 5 deviations
        }
    }

    @Test
    void everyPositionOfAKeyHasItsNeighborsOnTwoServers() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("graph", NODES));
            SampleNeighbor.Response drawn = sample(worker, LongArray.of(59, 3, 59, 0), 10, 1);
            requireNeighbors(59, at(drawn, 0), 10);
            requireNeighbors(3, at(drawn, 1), 10);
            requireNeighbors(0, at(drawn, 3), 10);
            assertThat(at(drawn, 2)).isEqualTo(at(drawn, 0));
        }
    }

    @Test
    void fewerThanNoneIsRefused() {
        assertThatThrownBy(() -> PsfTest.of(SampleNeighborPsf.bind(new SampleNeighbor() {}))
                        .tensor(GRAPH, NODES, 1)
                        .call(2, new SampleNeighbor.Request(GRAPH, LongArray.of(1), -1, 0)))
                .hasMessageContaining("BAD_REQUEST: count: -1 (expected: >= 0)");
    }
}
