package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Pooling;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.kvstore.KVStore;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors whose values are stored or sent in other types than float32. */
@Timeout(120)
final class FloatTypesTest {
    private static final int ROWS = 300;
    private static final int WIDTH = 24;

    /** The largest relative error of a value; of {@code INT8} relative to the largest of its row. */
    private static double error(FloatType type) {
        return switch (type) {
            case FLOAT32 -> 0;
            case FLOAT16 -> 0x1p-11;
            case BFLOAT16 -> 0x1p-8;
            case INT8 -> 1 / 253.9;
        };
    }

    private static float[] random(int seed, int n) {
        Random random = new Random(seed);
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = 0.1f + random.nextFloat();
        }
        return values;
    }

    private static TensorSpec spec(String name) {
        return TensorSpec.table(name, ROWS, WIDTH);
    }

    private static float[] all(Worker worker, TensorId tensor) {
        float[] into = new float[ROWS * WIDTH];
        Tensors.pull(worker, tensor, into).await();
        return into;
    }

    private static float[] rows(Worker worker, TensorId tensor, long... keys) {
        float[] into = new float[keys.length * WIDTH];
        Tensors.pullRows(worker, tensor, keys, into).await();
        return into;
    }

    private static void requireClose(float[] actual, float[] expected, double error) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < actual.length; i++) {
            double bound = error * 1.2 + 1e-6; // the largest value of a row is below 1.2
            assertThat((double) actual[i]).as("value %s", i).isCloseTo(expected[i], within(bound));
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void valuesTravelInTheTypeOfTheSpecAndArriveWithinItsError(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            for (FloatType type : FloatType.values()) {
                Clusters.onEachWorker(cluster, worker -> {
                    TensorId tensor =
                            Tensors.init(worker, spec("wire " + type).wire(type).updates(Updates.SUM));
                    float[] update = random(1, ROWS * WIDTH);
                    Tensors.push(worker, tensor, update).await();
                    float[] expected = new float[update.length];
                    for (int i = 0; i < expected.length; i++) {
                        expected[i] = 2 * update[i];
                    }
                    double error = 4 * error(type) + error(type) * error(type);
                    requireClose(all(worker, tensor), expected, error);
                    long[] keys = {7, 299, 7, 0, 150};
                    float[] some = rows(worker, tensor, keys);
                    for (int i = 0; i < keys.length; i++) {
                        int at = (int) keys[i] * WIDTH;
                        requireClose(
                                Arrays.copyOfRange(some, i * WIDTH, (i + 1) * WIDTH),
                                Arrays.copyOfRange(expected, at, at + WIDTH),
                                error);
                    }
                    float[] bags = new float[2 * WIDTH];
                    Tensors.pullBags(worker, tensor, keys, new int[] {3, 2}, Pooling.SUM, bags)
                            .await();
                    float[] sums = new float[bags.length];
                    for (int i = 0; i < keys.length * WIDTH; i++) {
                        sums[(i < 3 * WIDTH ? 0 : WIDTH) + i % WIDTH] +=
                                expected[(int) keys[i / WIDTH] * WIDTH + i % WIDTH];
                    }
                    requireClose(bags, sums, 4 * error);
                });
            }
        }
    }

    static List<Arguments> storedAndOptimized() {
        return List.of(
                Arguments.of(FloatType.FLOAT16, Optimizers.sgd(0.1)),
                Arguments.of(FloatType.BFLOAT16, Optimizers.sgd(0.1)),
                Arguments.of(FloatType.FLOAT16, Optimizers.adam(0.01)),
                Arguments.of(FloatType.BFLOAT16, Optimizers.adaGrad(0.1)),
                Arguments.of(FloatType.FLOAT16, Optimizers.rowAdaGrad(0.1)),
                Arguments.of(FloatType.FLOAT16, Optimizers.sgd(10).clipNorm(1)),
                Arguments.of(FloatType.BFLOAT16, Optimizers.adam(0.01).clipNorm(1)));
    }

    /** Returns half of the distance of two values of a type, near a value. */
    private static double halfUlp(FloatType type, float value) {
        return Math.ulp(value) * (type == FloatType.FLOAT16 ? 0x1p12 : 0x1p15);
    }

    /** Each push changes the rounded values as it changes those in float32, and rounds once. */
    @ParameterizedTest
    @MethodSource("storedAndOptimized")
    void aStoredTypeStepsAsFloat32DoesButForTheRounding(FloatType type, OptimizerSpec optimizer) {
        try (PsCluster cluster = Clusters.start(Over.TCP_MAPPED, 2, 1)) {
            Worker worker = cluster.worker();
            Initializer uniform = Initializers.uniform(0.5, 1, 3);
            TensorId exact =
                    Tensors.init(worker, spec("exact").optimizer(optimizer).initializer(uniform));
            TensorId rounded = Tensors.init(
                    worker,
                    spec("rounded").optimizer(optimizer).initializer(uniform).storage(type));
            float[] first = all(worker, rounded);
            requireClose(first, all(worker, exact), error(type));
            for (int step = 0; step < 20; step++) {
                long[] keys = LongStream.range(0, 40).map(i -> i * 7 % ROWS).toArray();
                float[] some = random(step, keys.length * WIDTH);
                assertSameStep(worker, exact, rounded, type, tensor -> Tensors.pushRows(worker, tensor, keys, some));
                float[] each = random(-step - 1, ROWS * WIDTH);
                assertSameStep(worker, exact, rounded, type, tensor -> Tensors.push(worker, tensor, each));
            }
            float[] last = all(worker, rounded);
            for (int i = 0; i < last.length; i++) {
                assertThat(first[i] - last[i]).as("change of value %s", i).isGreaterThan(0.1f);
            }
        }
    }

    private static void assertSameStep(
            Worker worker, TensorId exact, TensorId rounded, FloatType type, Function<TensorId, Pending<?>> push) {
        float[] exactBefore = all(worker, exact);
        float[] before = all(worker, rounded);
        push.apply(exact).await();
        push.apply(rounded).await();
        float[] exactAfter = all(worker, exact);
        float[] after = all(worker, rounded);
        for (int i = 0; i < after.length; i++) {
            float expected = before[i] + (exactAfter[i] - exactBefore[i]);
            double bound = Math.max(halfUlp(type, expected), halfUlp(type, after[i])) + 1e-6;
            if (!(Math.abs(after[i] - expected) <= bound)) { // an assertion for each of millions would take seconds
                assertThat(after[i]).as("value %s, %s before", i, before[i]).isCloseTo(expected, within((float) bound));
            }
        }
    }

    /** An update below half of the distance of two values is lost, unless rounding is stochastic. */
    @ParameterizedTest
    @EnumSource(
            value = FloatType.class,
            names = {"FLOAT16", "BFLOAT16"})
    void smallUpdatesAddUpWithStochasticRounding(FloatType type) {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            TensorSpec ones =
                    spec("nearest").initializer(Initializers.constant(1)).storage(type);
            TensorId nearest = Tensors.init(worker, ones);
            TensorId stochastic = Tensors.init(
                    worker,
                    spec("stochastic")
                            .initializer(Initializers.constant(1))
                            .storage(type)
                            .stochasticRounding());
            float[] update = new float[ROWS * WIDTH];
            Arrays.fill(update, (float) (error(type) / 10));
            int steps = 1000;
            for (int step = 0; step < steps; step++) {
                Tensors.push(worker, nearest, update).await();
                Tensors.push(worker, stochastic, update).await();
            }
            assertThat(all(worker, nearest)).containsOnly(1);
            double mean = 0;
            for (float value : all(worker, stochastic)) {
                mean += value / (double) update.length;
            }
            double expected = 1 + steps * (double) update[0];
            assertThat(mean).isCloseTo(expected, within(0.01 * (expected - 1)));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FloatType.class,
            names = {"FLOAT16", "BFLOAT16"})
    void aGrowingTableTakesHalfOfTheMemoryAndBeginsRowsAsItReadsThem(FloatType type) {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(
                    worker,
                    TensorSpec.growing("grows", WIDTH)
                            .initializer(Initializers.normal(0, 1, 5))
                            .storage(type)
                            .stochasticRounding()
                            .wire(type));
            long[] keys = LongStream.range(0, 1000).map(i -> i * 1_000_003).toArray();
            float[] before = rows(worker, table, keys);
            Tensors.pushRows(worker, table, keys, new float[keys.length * WIDTH])
                    .await();
            assertThat(rows(worker, table, keys)).isEqualTo(before);
            assertThat(Tensors.list(worker).get(0).parts().stream()
                            .mapToLong(part -> part.bytes().values())
                            .sum())
                    .isEqualTo(2L * keys.length * WIDTH);
            assertThat(Tensors.removeRows(worker, table, Arrays.copyOf(keys, 500))
                            .await()
                            .removed())
                    .isEqualTo(500);
            assertThat(rows(worker, table, keys)).isEqualTo(before);
        }
    }

    @Test
    void aCheckpointIsLoadedIntoTheSameOrAnotherType(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).workers(1).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            TensorSpec normal = spec("w").initializer(Initializers.normal(0, 1, 7));
            TensorId tensor = Tensors.init(worker, normal.storage(FloatType.BFLOAT16));
            float[] saved = all(worker, tensor);
            Tensors.save(worker, tensor, "here");
            for (FloatType type : List.of(FloatType.BFLOAT16, FloatType.FLOAT32)) {
                Tensors.clear(worker, tensor);
                Tensors.init(worker, spec("w").storage(type));
                Tensors.load(worker, tensor, "here");
                assertThat(all(worker, tensor)).isEqualTo(saved);
            }
        }
    }

    @Test
    void aFunctionSaysHowItsArraysTravel() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, spec("w"));
            long[] keys = {3, 200};
            float[] update = random(9, keys.length * WIDTH);
            float[] answered = QuantizedPsf.stub(worker)
                    .call(tensor, LongArray.wrap(keys), FloatArray.wrap(update))
                    .await()
                    .values()
                    .toArray();
            requireClose(answered, update, error(FloatType.INT8) + error(FloatType.BFLOAT16));
            assertThat(answered).isNotEqualTo(update);
            requireClose(rows(worker, tensor, keys), update, error(FloatType.INT8));
        }
    }

    @Test
    void aRowOfAnAnswerHasItsOwnFactorAlsoIfItIsNotAsWideAsTheTensor() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId tensor = Tensors.init(worker, spec("w"));
            long[] keys = {3, 0, 6, 200, 1};
            float[] powers = QuantizedPsf.stub(worker)
                    .call(tensor, LongArray.wrap(keys), FloatArray.allocate(keys.length * WIDTH))
                    .await()
                    .powers()
                    .toArray();
            for (int i = 0; i < powers.length; i++) {
                double power = Math.pow(10, (int) keys[i / Quantized.POWERS] % 7);
                double expected = power * (i % Quantized.POWERS);
                assertThat((double) powers[i]).isCloseTo(expected, within(9 * power * error(FloatType.INT8)));
            }
        }
    }

    @Test
    void aStoreKeepsTheTypesOfATensorThatExists() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.dense("w", 4).updates(Updates.SUM).storage(FloatType.BFLOAT16));
            try (KVStore store = KVStore.create(worker, "dist_sync")) {
                store.init("w", new float[4]);
                store.push("w", new float[] {1, 2, 3, 4}).await();
                float[] into = new float[4];
                store.pull("w", into).await();
                assertThat(into).containsExactly(1, 2, 3, 4);
            }
        }
    }

    @Test
    void theTypesArePartOfTheDeclaration() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 1, 1)) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec("w").storage(FloatType.FLOAT16).wire(FloatType.INT8));
            assertThatThrownBy(() -> Tensors.init(worker, spec("w")))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("storage=FLOAT16 wire=INT8");
            assertThatThrownBy(() -> spec("w").storage(FloatType.INT8))
                    .hasMessage("storage: INT8 (expected: FLOAT32, FLOAT16 or BFLOAT16)");
            assertThatThrownBy(() -> spec("w").stochasticRounding())
                    .hasMessageContaining("stochastic rounding: with storage FLOAT32");
        }
    }
}
