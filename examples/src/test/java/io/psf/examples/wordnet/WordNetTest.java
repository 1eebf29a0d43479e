package io.psf.examples.wordnet;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.functions.LoadNeighbors;
import io.psf.examples.functions.LoadNeighborsPsf;
import io.psf.examples.functions.SampleNeighbor;
import io.psf.examples.functions.SampleNeighborPsf;
import io.psf.runtime.PsCluster;
import io.psf.testkit.PsfTest;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class WordNetTest {
    private static final WordNet GRAPH = WordNet.load();
    private static final TensorId NODES = TensorId.of("wordnet");
    private static final LongArray SOURCES = LongArray.wrap(GRAPH.sources());
    private static final LongArray TARGETS = LongArray.wrap(GRAPH.targets());

    @TempDir
    private Path folder;

    private static Set<String> neighbors(String word) {
        int node = GRAPH.node(word);
        Set<String> words = new TreeSet<>();
        for (int i = 0; i < SOURCES.length(); i++) {
            if (SOURCES.get(i) == node) {
                words.add(GRAPH.words().get((int) TARGETS.get(i)));
            }
        }
        return words;
    }

    @Test
    void theGraphIsWordNets() {
        assertThat(GRAPH.nodes()).isEqualTo(117_791);
        assertThat(GRAPH.edges()).hasSize(184_083);
        assertThat(GRAPH.node("entity")).isZero();
        assertThat(neighbors("entity")).containsExactly("abstraction", "physical_entity", "thing");
        assertThat(neighbors("wordnet")).containsExactly("lexical_database");
        assertThat(neighbors("dog")).hasSize(23).contains("canine", "poodle", "domestic_animal");
        assertThat(LongStream.of(SOURCES.toArray()).filter(node -> node == 46_364)) // the other city, of all cities
                .hasSize(674);
        assertThat(GRAPH.words().get(46_364)).isEqualTo("city");
        assertThat(GRAPH.node("no such word")).isEqualTo(-1);
    }

    private static Set<Long> edges() {
        Set<Long> edges = new HashSet<>();
        for (int i = 0; i < SOURCES.length(); i++) {
            edges.add((SOURCES.get(i) << 32) + TARGETS.get(i));
        }
        return edges;
    }

    private static void requireNeighbors(LongArray keys, int count, SampleNeighbor.Response drawn) {
        Set<Long> edges = edges();
        int[] degrees = new int[GRAPH.nodes()];
        for (int i = 0; i < SOURCES.length(); i++) {
            degrees[(int) SOURCES.get(i)]++;
        }
        int at = 0;
        for (int i = 0; i < keys.length(); i++) {
            int node = (int) keys.get(i);
            assertThat(drawn.counts().get(i)).isEqualTo(Math.min(count, degrees[node]));
            Set<Long> seen = new HashSet<>();
            for (int end = at + drawn.counts().get(i); at < end; at++) {
                long neighbor = drawn.neighbors().get(at);
                assertThat(edges.contains(((long) node << 32) + neighbor))
                        .as("%s and %s", node, neighbor)
                        .isTrue();
                assertThat(seen.add(neighbor)).as("%s once", neighbor).isTrue();
            }
        }
        assertThat(at).isEqualTo(drawn.neighbors().length());
    }

    @Test
    void theSameRealNeighborsAreDrawnOnAnySlices() {
        LongArray keys = LongArray.wrap(
                LongStream.range(0, 20_000).map(i -> i * 7919 % GRAPH.nodes()).toArray());
        SampleNeighbor.Response drawn = PsfTest.of(SampleNeighborPsf.bind(new SampleNeighbor() {}))
                .and(LoadNeighborsPsf.bind(new LoadNeighbors() {}))
                .tensor(NODES, GRAPH.nodes(), 1)
                .sameOnAnySlices(cluster -> {
                    LoadNeighborsPsf.stub(cluster).call(NODES, SOURCES, TARGETS).await();
                    return SampleNeighborPsf.stub(cluster)
                            .call(NODES, keys, 3, 11)
                            .await();
                });
        requireNeighbors(keys, 3, drawn);
    }

    @Test
    void theGraphComesBackFromACheckpointOnOtherServers() {
        LongArray keys = LongArray.wrap(LongStream.range(0, GRAPH.nodes()).toArray());
        SampleNeighbor.Response before;
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            Tensors.init(cluster.worker(), TensorSpec.dense("wordnet", GRAPH.nodes()));
            LoadNeighborsPsf.stub(cluster.worker())
                    .call(NODES, SOURCES, TARGETS)
                    .await();
            before = SampleNeighborPsf.stub(cluster.worker())
                    .call(NODES, keys, 2, 5)
                    .await();
            Tensors.save(cluster.worker(), NODES, "graph");
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(3).checkpoints(folder).start()) {
            Tensors.init(cluster.worker(), TensorSpec.dense("wordnet", GRAPH.nodes()));
            Tensors.load(cluster.worker(), NODES, "graph");
            SampleNeighbor.Response after = SampleNeighborPsf.stub(cluster.worker())
                    .call(NODES, keys, 2, 5)
                    .await();
            assertThat(after).isEqualTo(before);
            requireNeighbors(keys, 2, after);
        }
    }

    @Test
    void theProgramPrintsNeighborsOfWords() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            List<String> lines = WordNetMain.neighbors(cluster.worker(), List.of("wordnet", "no such word", "entity"));
            assertThat(lines).hasSize(2);
            assertThat(lines.get(0)).isEqualTo("wordnet: lexical_database");
            assertThat(lines.get(1).replace("entity: ", "").split(", "))
                    .containsExactlyInAnyOrder("abstraction", "physical_entity", "thing");
        }
    }
}
