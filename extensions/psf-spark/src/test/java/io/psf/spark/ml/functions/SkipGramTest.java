package io.psf.spark.ml.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions of skip-gram beside plain loops over whole vectors. */
class SkipGramTest {
    private static final TensorId INPUT = TensorId.of("input");
    private static final TensorId OUTPUT = TensorId.of("output");
    private static final int WORDS = 40;
    private static final int SIZE = 84;
    private static final int[] INPUT_WORDS = {3, 39, 0, 17, 20};
    private static final int[] OUTPUT_WORDS = {5, 3, 38, 0, 1, 2};

    /** Groups of 0 to 7 inputs, some of which are the same word twice. */
    private record Groups(int targets, int[] counts, int[] inputAt, int[] outputAt) {
        static Groups of(long seed, int targets) {
            Random random = new Random(seed);
            int[] counts = random.ints(9, 0, 8).toArray();
            int inputs = java.util.Arrays.stream(counts).sum();
            return new Groups(
                    targets,
                    counts,
                    random.ints(inputs, 0, INPUT_WORDS.length).toArray(),
                    random.ints(counts.length * (long) targets, 0, OUTPUT_WORDS.length)
                            .toArray());
        }

        int pairs() {
            return inputAt.length * targets;
        }
    }

    /** Whole vectors, [words][size]. */
    private static double[][] vectors(int seed) {
        double[][] vectors = new double[WORDS][SIZE];
        for (int word = 0; word < WORDS; word++) {
            for (int d = 0; d < SIZE; d++) {
                vectors[word][d] = value(seed, word, d);
            }
        }
        return vectors;
    }

    private static float value(int seed, int word, int d) {
        return (float) Math.sin(1 + seed + 3.7 * word + 0.9 * d) / 8;
    }

    private static double valueAt(int seed, int blocks, int i) {
        int width = SIZE / blocks;
        int row = i / width;
        return value(seed, row % WORDS, row / WORDS * width + i % width);
    }

    private static TestCluster cluster(int blocks) {
        return PsfTest.of(SkipGramDotsPsf.bind(new SkipGramDots() {}))
                .and(SkipGramAdjustPsf.bind(new SkipGramAdjust() {}))
                .and(SkipGramTrainPsf.bind(new SkipGramTrain() {}))
                .and(SkipGramStartPsf.bind(new SkipGramStart() {}))
                .and(SkipGramSimilarPsf.bind(new SkipGramSimilar() {}))
                .and(DensePullPsf.bind(new DensePull() {}))
                .tensor(INPUT, (long) blocks * WORDS, SIZE / blocks)
                .values(i -> valueAt(1, blocks, i))
                .tensor(OUTPUT, (long) blocks * WORDS, SIZE / blocks)
                .values(i -> valueAt(2, blocks, i))
                .on(blocks);
    }

    private static double[] products(Groups groups, double[][] input, double[][] output) {
        double[] products = new double[groups.pairs()];
        int at = 0;
        for (int group = 0; group < groups.counts.length; group++) {
            for (int i = 0; i < groups.counts[group]; i++, at++) {
                for (int target = 0; target < groups.targets; target++) {
                    double[] x = input[INPUT_WORDS[groups.inputAt[at]]];
                    double[] y = output[OUTPUT_WORDS[groups.outputAt[group * groups.targets + target]]];
                    for (int d = 0; d < SIZE; d++) {
                        products[at * groups.targets + target] += x[d] * y[d];
                    }
                }
            }
        }
        return products;
    }

    /** Changes the vectors of one group by the factors from {@code at} on. */
    private static void adjust(
            Groups groups, int group, int at, double[] factors, double[][] input, double[][] output) {
        double[][] before = copy(input);
        double[][] beforeOutput = copy(output);
        for (int i = at; i < at + groups.counts[group]; i++) {
            for (int target = 0; target < groups.targets; target++) {
                int x = INPUT_WORDS[groups.inputAt[i]];
                int y = OUTPUT_WORDS[groups.outputAt[group * groups.targets + target]];
                for (int d = 0; d < SIZE; d++) {
                    input[x][d] += factors[i * groups.targets + target] * beforeOutput[y][d];
                    output[y][d] += factors[i * groups.targets + target] * before[x][d];
                }
            }
        }
    }

    private static double[][] copy(double[][] vectors) {
        double[][] copy = new double[vectors.length][];
        java.util.Arrays.setAll(copy, i -> vectors[i].clone());
        return copy;
    }

    private static void requireEqual(TestCluster cluster, int blocks, TensorId tensor, double[][] expected) {
        float[] found = Tensors.pull(cluster, tensor);
        int width = SIZE / blocks;
        for (int word = 0; word < WORDS; word++) {
            for (int d = 0; d < SIZE; d++) {
                assertThat((double) found[(d / width * WORDS + word) * width + d % width])
                        .as("%s of word %s, dimension %s", tensor, word, d)
                        .isCloseTo(expected[word][d], within(1e-6));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void dotProductsAreThoseOfWholeVectorsOnAnyNumberOfSlices(int blocks) {
        for (int targets : new int[] {1, 2, 3, 6, 8}) {
            Groups groups = Groups.of(targets, targets);
            float[] found = SkipGramDotsPsf.stub(cluster(blocks))
                    .call(
                            INPUT,
                            OUTPUT,
                            IntArray.of(INPUT_WORDS),
                            IntArray.of(OUTPUT_WORDS),
                            targets,
                            IntArray.of(groups.counts),
                            IntArray.of(groups.inputAt),
                            IntArray.of(groups.outputAt))
                    .await()
                    .products()
                    .toArray();
            double[] expected = products(groups, vectors(1), vectors(2));
            assertThat(found).hasSize(expected.length);
            for (int i = 0; i < found.length; i++) {
                assertThat((double) found[i]).isCloseTo(expected[i], within(1e-6));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void vectorsChangeByThoseOfTheirPairsOnAnyNumberOfSlices(int blocks) {
        for (int targets : new int[] {1, 2, 4, 6}) {
            Groups groups = Groups.of(10 + targets, targets);
            float[] factors = new float[groups.pairs()];
            double[] wide = new double[factors.length];
            for (int i = 0; i < factors.length; i++) {
                factors[i] = (float) Math.cos(i) / 16;
                wide[i] = factors[i];
            }
            TestCluster cluster = cluster(blocks);
            SkipGramAdjustPsf.stub(cluster)
                    .call(
                            INPUT,
                            OUTPUT,
                            IntArray.of(INPUT_WORDS),
                            IntArray.of(OUTPUT_WORDS),
                            targets,
                            IntArray.of(groups.counts),
                            IntArray.of(groups.inputAt),
                            IntArray.of(groups.outputAt),
                            FloatArray.of(factors))
                    .await();
            double[][] input = vectors(1);
            double[][] output = vectors(2);
            int at = 0;
            for (int group = 0; group < groups.counts.length; group++) {
                adjust(groups, group, at, wide, input, output);
                at += groups.counts[group];
            }
            requireEqual(cluster, blocks, INPUT, input);
            requireEqual(cluster, blocks, OUTPUT, output);
        }
    }

    @Test
    void oneSliceTrainsByOneCallGroupAfterGroup() {
        for (int targets : new int[] {1, 2, 6}) {
            Groups groups = Groups.of(20 + targets, targets);
            TestCluster cluster = cluster(1);
            train(cluster, groups, IntArray.of(INPUT_WORDS)).await();
            double[][] input = vectors(1);
            double[][] output = vectors(2);
            int at = 0;
            for (int group = 0; group < groups.counts.length; group++) {
                double[] factors = products(groups, input, output);
                for (int i = 0; i < factors.length; i++) {
                    double label = i % targets == 0 ? 1 : 0;
                    factors[i] = 0.05f * (label - 1 / (1 + Math.exp(-factors[i])));
                }
                adjust(groups, group, at, factors, input, output);
                at += groups.counts[group];
            }
            requireEqual(cluster, 1, INPUT, input);
            requireEqual(cluster, 1, OUTPUT, output);
        }
    }

    private static io.psf.api.Pending<SkipGramTrain.Response> train(
            TestCluster cluster, Groups groups, IntArray inputWords) {
        return SkipGramTrainPsf.stub(cluster)
                .call(
                        INPUT,
                        OUTPUT,
                        inputWords,
                        IntArray.of(OUTPUT_WORDS),
                        groups.targets,
                        IntArray.of(groups.counts),
                        IntArray.of(groups.inputAt),
                        IntArray.of(groups.outputAt),
                        0.05f);
    }

    @Test
    void requestsThatContradictThemselvesChangeNothing() {
        Groups good = Groups.of(1, 2);
        TestCluster cluster = cluster(1);
        assertThatThrownBy(
                        () -> train(cluster(2), good, IntArray.of(INPUT_WORDS)).await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("(expected: 1, which has whole vectors)");
        assertThatThrownBy(() ->
                        train(cluster, good, IntArray.of(3, 40, 0, 17, 20)).await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("word 40 of tensor input (expected: 0 to 39");
        assertThatThrownBy(() -> train(cluster, good, IntArray.of(3)).await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("(expected: 0 to 0)");
        Groups longer = new Groups(2, good.counts, java.util.Arrays.copyOf(good.inputAt, 99), good.outputAt);
        assertThatThrownBy(
                        () -> train(cluster, longer, IntArray.of(INPUT_WORDS)).await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("inputAt: 99 (expected: ");
        Groups none = new Groups(0, good.counts, good.inputAt, good.outputAt);
        assertThatThrownBy(() -> train(cluster, none, IntArray.of(INPUT_WORDS)).await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("targets: 0 (expected: >= 1)");
        requireEqual(cluster, 1, INPUT, vectors(1));
        requireEqual(cluster, 1, OUTPUT, vectors(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7})
    void firstValuesDependOnTheWordAndTheSeedAlone(int blocks) {
        TestCluster one = cluster(1);
        TestCluster some = cluster(blocks);
        SkipGramStartPsf.stub(one).call(INPUT, SIZE - 2, 5).await();
        SkipGramStartPsf.stub(some).call(INPUT, SIZE - 2, 5).await();
        float[] whole = Tensors.pull(one, INPUT);
        double[][] expected = new double[WORDS][SIZE];
        double sum = 0;
        for (int i = 0; i < whole.length; i++) {
            expected[i / SIZE][i % SIZE] = whole[i];
            sum += whole[i];
            assertThat((double) whole[i]).isBetween(-0.5 / (SIZE - 2), 0.5 / (SIZE - 2));
            assertThat(whole[i] == 0).isEqualTo(i % SIZE >= SIZE - 2);
        }
        assertThat(sum / whole.length).isCloseTo(0, within(1e-3));
        requireEqual(some, blocks, INPUT, expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void productsOfOneVectorAndConsecutiveWords(int blocks) {
        float[] query = new float[SIZE];
        for (int d = 0; d < SIZE; d++) {
            query[d] = value(9, 0, d);
        }
        SkipGramSimilar.Response found = SkipGramSimilarPsf.stub(cluster(blocks))
                .call(INPUT, FloatArray.of(query), 10, 5)
                .await();
        double[][] input = vectors(1);
        for (int i = 0; i < 5; i++) {
            double product = 0;
            double square = 0;
            for (int d = 0; d < SIZE; d++) {
                product += query[d] * input[10 + i][d];
                square += input[10 + i][d] * input[10 + i][d];
            }
            assertThat((double) found.products().get(i)).isCloseTo(product, within(1e-6));
            assertThat((double) found.squares().get(i)).isCloseTo(square, within(1e-6));
        }
    }

    @Test
    void theLogisticFunctionIsThatOfTheTable() {
        for (double x = -12; x < 12; x += 0.0137) {
            double expected = 1 / (1 + Math.exp(-x));
            assertThat((double) Sigmoid.of((float) x)).isCloseTo(expected, within(Math.abs(x) < 8 ? 1e-6 : 4e-4));
        }
        assertThat(Sigmoid.of(Float.NaN)).isZero();
    }
}
