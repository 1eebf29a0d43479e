package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.builtin.Tensors;
import io.psf.spark.LocalSpark;
import io.psf.spark.PsSpark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Vectors of words of generated text, in one process with two servers. */
@Timeout(120)
class PsWord2VecTest {
    private static final int TOPICS = 8;
    private static final int WORDS_OF_TOPIC = 12;
    private static final StructType SCHEMA = new StructType()
            .add("id", DataTypes.IntegerType)
            .add("words", DataTypes.createArrayType(DataTypes.StringType));

    private static SparkSession spark;
    private static Dataset<Row> text;

    @BeforeAll
    static void start() {
        spark = LocalSpark.get();
        text = sentences(2500);
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(Tensors.list(PsSpark.client()))
                .extracting(tensor -> tensor.tensor().id().name())
                .noneMatch(name -> name.startsWith("psWord2Vec"));
    }

    /** Returns sentences of 16 words of one topic, each followed by a word that all topics share. */
    private static Dataset<Row> sentences(int n) {
        Random random = new Random(7);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int topic = random.nextInt(TOPICS);
            String[] words = new String[16];
            for (int at = 0; at < words.length; at++) {
                words[at] =
                        at % 4 == 3 ? "common" + random.nextInt(4) : "t" + topic + "w" + random.nextInt(WORDS_OF_TOPIC);
            }
            rows.add(RowFactory.create(i, words));
        }
        return spark.createDataFrame(rows, SCHEMA).repartition(2).localCheckpoint();
    }

    private static PsWord2Vec estimator() {
        return new PsWord2Vec()
                .setInputCol("words")
                .setOutputCol("vector")
                .setVectorSize(25)
                .setMaxIter(3)
                .setStepSize(0.05)
                .setSubsampling(0);
    }

    /** Returns the share of the ten nearest words of each topic's words that are of the same topic. */
    private static double accuracy(PsWord2VecModel model) {
        int same = 0;
        int all = 0;
        for (int topic = 0; topic < TOPICS; topic++) {
            for (int word = 0; word < WORDS_OF_TOPIC; word += 4) {
                String name = "t" + topic + "w" + word;
                for (Row row : model.findSynonyms(name, 10).collectAsList()) {
                    assertThat(row.getString(0)).isNotEqualTo(name);
                    same += row.getString(0).startsWith("t" + topic + "w") ? 1 : 0;
                    all++;
                }
            }
        }
        return same / (double) all;
    }

    @Test
    void wordsOfATopicAreNearEachOther() {
        PsWord2VecModel model = estimator().fit(text);
        assertThat(accuracy(model)).isGreaterThan(0.95);
        model.release();
    }

    @Test
    void vectorsOfOnePartitionAreTheSameEachTime() {
        List<Row> few = text.limit(40).collectAsList();
        Dataset<Row> data = spark.createDataFrame(few, SCHEMA).coalesce(1);
        List<List<Row>> found = new ArrayList<>();
        for (int time = 0; time < 2; time++) {
            PsWord2VecModel model =
                    estimator().setMaxIter(2).setMinCount(1).setBatchSize(50).fit(data);
            assertThat(Tensors.list(PsSpark.client()))
                    .hasSize(1)
                    .allSatisfy(
                            tensor -> assertThat(tensor.tensor().id().name()).startsWith(model.uid() + "."));
            found.add(model.getVectors().orderBy("word").collectAsList());
            model.release();
        }
        assertThat(found.get(1)).isEqualTo(found.get(0));
    }

    @Test
    void aModelIsSavedAndLoadedAndExported(@TempDir Path directory) throws Exception {
        PsWord2VecModel model = estimator().setMaxIter(1).fit(text);
        String path = directory.resolve("model").toString();
        model.write().save(path);
        PsWord2VecModel exported = model.exported();
        List<Row> vectors = model.getVectors().orderBy("word").collectAsList();
        List<Row> nearest = model.findSynonyms("t1w2", 5).collectAsList();
        List<Row> means = model.transform(text).orderBy("id").limit(50).collectAsList();
        model.release();

        PsWord2VecModel loaded = PsWord2VecModel.load(path);
        assertThat(loaded.uid()).isEqualTo(model.uid());
        assertThat(loaded.getOutputCol()).isEqualTo("vector");
        assertThat(loaded.getVectorSize()).isEqualTo(25);
        for (PsWord2VecModel other : List.of(exported, loaded)) {
            assertThat(other.words()).isEqualTo(TOPICS * WORDS_OF_TOPIC + 4);
            assertThat(other.getVectors().orderBy("word").collectAsList()).isEqualTo(vectors);
            assertThat(other.findSynonyms("t1w2", 5).select("word").collectAsList())
                    .isEqualTo(nearest.stream()
                            .map(row -> RowFactory.create(row.getString(0)))
                            .toList());
            assertThat(other.transform(text).orderBy("id").limit(50).collectAsList())
                    .isEqualTo(means);
            other.release();
        }
        PsWord2Vec estimator = estimator().setSeed(3);
        estimator.write().save(directory.resolve("estimator").toString());
        PsWord2Vec read = PsWord2Vec.load(directory.resolve("estimator").toString());
        assertThat(read.getSeed()).isEqualTo(3);
        assertThat(read.getVectorSize()).isEqualTo(25);
    }

    @Test
    void aPipelineWithAModelIsSavedAndLoaded(@TempDir Path directory) throws Exception {
        Dataset<Row> few = text.limit(50).localCheckpoint();
        PipelineModel model = new Pipeline()
                .setStages(new PipelineStage[] {estimator().setMaxIter(1).setMinCount(1)})
                .fit(few);
        String path = directory.resolve("pipeline").toString();
        model.write().save(path);
        List<Row> means = model.transform(few).orderBy("id").limit(9).collectAsList();
        ((PsWord2VecModel) model.stages()[0]).release();
        assertThat(PipelineModel.load(path)
                        .transform(few)
                        .orderBy("id")
                        .limit(9)
                        .collectAsList())
                .isEqualTo(means);
    }

    @Test
    void nullsAndUnknownWordsAreNoWordsAndYieldNullAndZeros() {
        List<Row> rows = new ArrayList<>(text.limit(200).collectAsList());
        rows.add(RowFactory.create(-3, null));
        rows.add(RowFactory.create(-2, new String[] {null, "t0w0", "unknown", "t0w0"}));
        rows.add(RowFactory.create(-1, new String[] {}));
        Dataset<Row> data = spark.createDataFrame(rows, SCHEMA);
        PsWord2VecModel model = estimator().setMaxIter(1).fit(data);
        List<Row> found = model.transform(data).filter("id < 0").orderBy("id").collectAsList();
        Vector one = (Vector) model.getVectors().filter("word = 't0w0'").head().get(1);
        assertThat(found.get(0).isNullAt(2)).isTrue();
        double[] half = Arrays.stream(one.toArray()).map(x -> x / 2).toArray();
        assertThat(((Vector) found.get(1).get(2)).toArray()).containsExactly(half, within(1e-12));
        assertThat(((Vector) found.get(2).get(2)).toArray()).containsOnly(0).hasSize(25);
        assertThatThrownBy(() -> model.findSynonyms("unknown", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("word: \"unknown\" (expected: one of the 100 words");
        assertThatThrownBy(() -> model.findSynonyms("t0w0", 0)).hasMessageContaining("(expected: >= 1)");
        model.release();
    }

    @Test
    void wrongParametersAndColumnsAreRefused() {
        assertThatThrownBy(() -> estimator().setVectorSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> estimator().setSubsampling(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> estimator().setInputCol("none").fit(text))
                .hasMessage("inputCol: \"none\" (expected: one of [id, words])");
        assertThatThrownBy(() -> estimator().setInputCol("id").fit(text))
                .hasMessage("column \"id\": int (expected: array<string>)");
        assertThatThrownBy(() -> estimator().setOutputCol("id").fit(text))
                .hasMessage("outputCol: \"id\" (expected: a name that no column has yet)");
        assertThatThrownBy(() -> new PsWord2Vec().fit(text)).hasMessageStartingWith("inputCol: not set");
        assertThatThrownBy(() -> estimator().setMinCount(1_000_000).fit(text))
                .hasMessage("words of column \"words\" that occur at least 1000000 times: none (expected: at least 1)");
    }

    @Test
    void subsamplingAndMorePartitionsLearnTheSameTopics() {
        PsWord2VecModel model = estimator()
                .setSubsampling(0.01)
                .setNumPartitions(3)
                .setMaxSentenceLength(10)
                .setMaxIter(4)
                .fit(text);
        assertThat(accuracy(model)).isGreaterThan(0.9);
        model.release();
    }

    @Test
    void negativeSamplesAreDrawnByTheirCountsToThePower() {
        List<Row> counts = List.of(
                RowFactory.create("a", 1000L),
                RowFactory.create("b", 100L),
                RowFactory.create("c", 10L),
                RowFactory.create("d", 1L));
        WordSource words = new WordSource(Vocabulary.of(counts), 0.01);
        int most = words.words().find("a");
        Draws draws = new Draws(1);
        int[] found = new int[4];
        int kept = 0;
        for (int i = 0; i < 400_000; i++) {
            found[words.draw(draws)]++;
            kept += words.keeps(most, draws) ? 1 : 0;
            assertThat(words.otherThan(most, draws)).isNotEqualTo(most);
        }
        double total = Math.pow(1000, 0.75) + Math.pow(100, 0.75) + Math.pow(10, 0.75) + 1;
        for (int word = 0; word < 4; word++) {
            double expected = Math.pow((double) words.words().count(word), 0.75) / total;
            assertThat(found[word] / 400_000.0).isCloseTo(expected, within(0.003));
            assertThat(words.drawn(word)).isCloseTo(expected, within(1e-9));
        }
        double ratio = 0.01 * 1111 / 1000;
        assertThat(kept / 400_000.0).isCloseTo(Math.sqrt(ratio) + ratio, within(0.003));
        assertThat(words.share(most)).isCloseTo(1000 / 1111. * (Math.sqrt(ratio) + ratio), within(1e-6));
        assertThat(words.words().find("e")).isEqualTo(-1);
    }

    @Test
    void changesOfManyTasksAreAddedForRareWordsAndAveragedForFrequentOnes() {
        SkipGramSettings settings = new SkipGramSettings(5, 5, 10, 500, .025, 1, 99, 32, 1000, 1);
        assertThat(settings.part(6 * 1e-6, .025f)).isEqualTo(1);
        assertThat(settings.part(6 * .05, .025f)).isEqualTo(1 / 32f);
        SkipGramSettings alone = new SkipGramSettings(5, 5, 10, 500, .025, 1, 99, 1, 1000, 1);
        assertThat(alone.part(6 * .05, .025f)).isEqualTo(1);
    }
}
