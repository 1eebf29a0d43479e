package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.spark.LocalSpark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class PsRandomWalksTest {

    /** Makes edges of pairs of names, such as "a-b". */
    private static Dataset<Row> edges(String... pairs) {
        List<Row> rows = new ArrayList<>();
        for (String pair : pairs) {
            rows.add(RowFactory.create((Object[]) pair.split("-")));
        }
        return LocalSpark.get()
                .createDataFrame(
                        rows, new StructType().add("src", DataTypes.StringType).add("dst", DataTypes.StringType))
                .coalesce(2);
    }

    private static List<List<String>> walks(PsRandomWalks walks, Dataset<Row> edges) {
        return walks.transform(edges).collectAsList().stream()
                .map(row -> row.<String>getList(0))
                .toList();
    }

    /** From a over b, c is a neighbour of a, and d and e are not. */
    @Test
    void theChancesOfTheNextNodeAreThoseOfNode2vec() {
        Dataset<Row> edges = edges("a-b", "b-c", "b-d", "a-c", "b-e");
        List<List<String>> walks =
                walks(new PsRandomWalks().setP(.25).setQ(2).setWalkLength(3).setWalksPerNode(8_000), edges);
        assertThat(walks).hasSize(5 * 8_000);
        Map<String, Double> counts = new HashMap<>();
        double all = 0;
        for (List<String> walk : walks) {
            if (walk.get(0).equals("a") && walk.get(1).equals("b")) {
                counts.merge(walk.get(2), 1.0, Double::sum);
                all++;
            }
        }
        assertThat(all / 8_000).as("the first step").isCloseTo(.5, within(.03));
        double sum = 4 + 1 + .5 + .5;
        assertThat(counts.getOrDefault("a", 0.0) / all).isCloseTo(4 / sum, within(.03));
        assertThat(counts.getOrDefault("c", 0.0) / all).isCloseTo(1 / sum, within(.03));
        assertThat(counts.getOrDefault("d", 0.0) / all).isCloseTo(.5 / sum, within(.03));
        assertThat(counts.getOrDefault("e", 0.0) / all).isCloseTo(.5 / sum, within(.03));
    }

    /** A neighbour that is hardly ever kept is reached nevertheless: its chances are computed then. */
    @Test
    void aWalkGoesBackWhereItCanOnlyGoBack() {
        assertThat(walks(new PsRandomWalks().setP(1e12).setWalkLength(4).setWalksPerNode(1), edges("a-b")))
                .containsExactlyInAnyOrder(List.of("a", "b", "a", "b"), List.of("b", "a", "b", "a"));
    }

    @Test
    void directedWalksEndWhereNoEdgeGoes() {
        PsRandomWalks walks =
                new PsRandomWalks().setDirected(true).setWalksPerNode(2).setWalkLength(5);
        List<List<String>> found = walks(walks, edges("a-b", "b-c", "b-c"));
        assertThat(found)
                .containsExactlyInAnyOrder(
                        List.of("a", "b", "c"),
                        List.of("a", "b", "c"),
                        List.of("b", "c"),
                        List.of("b", "c"),
                        List.of("c"),
                        List.of("c"));
    }

    @Test
    void walksAreThoseOfTheSeed(@TempDir Path folder) throws Exception {
        Dataset<Row> edges = edges("a-b", "b-c", "c-a", "c-d", "d-a");
        PsRandomWalks walks = new PsRandomWalks().setSeed(3).setWalkLength(9);
        walks.write().save(folder + "/walks");
        assertThat(walks(PsRandomWalks.load(folder + "/walks"), edges.repartition(3)))
                .isEqualTo(walks(walks, edges));
        assertThat(walks(walks.setSeed(4), edges)).isNotEqualTo(walks(PsRandomWalks.load(folder + "/walks"), edges));
    }

    /** Four communities of twenty nodes, whose edges go to another one once in twenty times. */
    @Test
    void vectorsOfACommunityAreNearEachOther() {
        SplittableRandom random = new SplittableRandom(2);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            int group = random.nextInt(4);
            int other = random.nextInt(20) == 0 ? random.nextInt(4) : group;
            rows.add(RowFactory.create(20 * group + random.nextInt(20), 20 * other + random.nextInt(20)));
        }
        Dataset<Row> edges = LocalSpark.get()
                .createDataFrame(
                        rows, new StructType().add("src", DataTypes.IntegerType).add("dst", DataTypes.IntegerType));
        PsWord2Vec vectors = new PsWord2Vec()
                .setInputCol("walk")
                .setOutputCol("vector")
                .setVectorSize(16)
                .setMinCount(0)
                .setSubsampling(0)
                .setMaxIter(3);
        PipelineModel model = new Pipeline()
                .setStages(new PipelineStage[] {new PsRandomWalks().setWalkLength(30), vectors})
                .fit(edges);
        PsWord2VecModel nodes = (PsWord2VecModel) model.stages()[1];
        assertThat(nodes.words()).isEqualTo(80);
        int same = 0;
        for (int node = 0; node < 80; node++) {
            for (Row near : nodes.findSynonyms("" + node, 5).collectAsList()) {
                same += Integer.parseInt(near.getString(0)) / 20 == node / 20 ? 1 : 0;
            }
        }
        assertThat(same / 400.0).as("of the 5 nearest, by chance .24").isGreaterThan(.8);
        nodes.release();
    }

    @Test
    void whatIsWrongIsSaid() {
        Dataset<Row> edges = edges("a-b");
        assertThatThrownBy(() -> new PsRandomWalks().setSrcCol("from").transform(edges))
                .hasMessageContaining("source column \"from\": none");
        assertThatThrownBy(() -> new PsRandomWalks().transform(edges.selectExpr("src", "1 as dst")))
                .hasMessage("target column \"dst\": int (expected: string, as the source)");
        assertThatThrownBy(() -> new PsRandomWalks().transform(edges.selectExpr("src", "string(null) as dst")))
                .hasMessage("node of an edge: null (expected: a name or a number)");
        assertThatThrownBy(() -> new PsRandomWalks().transform(edges.limit(0)))
                .hasMessage("edges: 0 (expected: at least 1)");
        assertThat(Set.of(new PsRandomWalks().transform(edges).columns())).containsExactly("walk");
    }
}
