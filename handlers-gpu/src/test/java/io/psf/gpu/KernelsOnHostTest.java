package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Range;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.optimizer.Schedule;
import io.psf.gpu.HostKernels.Order;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels of optimizers, initial values and copies, executed on the host: their results are those of psf's Java
 * code.
 */
class KernelsOnHostTest {
    /** Few, or more with {@code -Dpsf.laws.times=4}. */
    private static final int[] WIDTHS =
            Integer.getInteger("psf.laws.times", 1) > 1 ? new int[] {1, 3, 4, 8, 64, 5, 6} : new int[] {1, 4, 6};

    private static final long[] KEYS = {
        0,
        1,
        2,
        77,
        -1,
        -2,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        1L << 40,
        Long.MAX_VALUE / 3,
        Long.MAX_VALUE / 4 - 1,
        -1L << 33
    };

    static Stream<Arguments> rulesAndWidths() {
        return Stream.of(Rule.values())
                .flatMap(rule -> IntStream.of(WIDTHS)
                        .boxed()
                        .flatMap(width -> Stream.of(Order.values()).map(order -> Arguments.of(rule, width, order))));
    }

    static Stream<HostGenerator> generators() {
        return HostGenerator.all();
    }

    private static HostKernels kernels() {
        return new HostKernels(Order.SHUFFLED, 1);
    }

    @ParameterizedTest(name = "{0} {1} wide {2}")
    @MethodSource("rulesAndWidths")
    void denseUpdatesInTwoPiecesAreThoseOfTheHost(Rule rule, int width, Order order) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(order, 2)) {
            HostRule stepped = new HostRule(kernels, rule, new Range(0, 53), width, random, HostRule.KNOWN - 4);
            int n = 53 * width;
            for (int first : new int[] {0, 4, n / 2 & -4}) {
                float[] update = HostRule.gradient(random, n);
                stepped.onHost(null, update);
                stepped.stepAll(update, first);
                stepped.assertEqual();
            }
        }
    }

    @ParameterizedTest(name = "{0} {1} wide {2}")
    @MethodSource("rulesAndWidths")
    void updatesByKeyWithDuplicatesAreThoseOfTheHost(Rule rule, int width, Order order) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(order, 3)) {
            Range range = new Range(100, 140);
            HostRule stepped = new HostRule(kernels, rule, range, width, random, HostRule.KNOWN - 60);
            HostClaims claims = new HostClaims(kernels);
            for (int n : new int[] {1, 7, 60}) {
                long[] keys = random.longs(n, 100, 140).toArray();
                float[] update = HostRule.gradient(random, n * width);
                stepped.onHost(LongArray.wrap(keys), update);
                claims.push(stepped, keys, update, range);
                assertThat(claims.duplicates())
                        .isEqualTo(n - (int) Arrays.stream(keys).distinct().count());
                stepped.assertEqual();
            }
        }
    }

    static Stream<Arguments> optionsAndWidths() {
        return Stream.of(Rule.values())
                .filter(rule -> rule != Rule.ASSIGN)
                .map(HostRule::spec)
                .flatMap(spec -> spec.arguments().containsKey("lr")
                        ? Stream.of(
                                spec.clipValue(0.7),
                                spec.weightDecay(0.3),
                                spec.schedule(Schedule.cosine(5, 0.1).warmUp(2)),
                                spec.clipNorm(3).weightDecay(0.1),
                                spec.clipValue(0.2)
                                        .clipNorm(1)
                                        .weightDecay(0.01)
                                        .schedule(Schedule.step(1, 0.5)))
                        : Stream.of(spec.clipValue(0.7).weightDecay(0.3).clipNorm(1)))
                .flatMap(spec -> IntStream.of(1, 4, 6).mapToObj(width -> Arguments.of(spec, width)));
    }

    @ParameterizedTest(name = "{0} {1} wide")
    @MethodSource("optionsAndWidths")
    void stepsWithOptionsAreThoseOfTheHost(OptimizerSpec spec, int width) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(Order.INTERLEAVED, 12)) {
            Range range = new Range(100, 140);
            HostRule stepped = new HostRule(kernels, spec, range, width, random, HostRule.KNOWN);
            HostClaims claims = new HostClaims(kernels);
            for (int step = 0; step < 8; step++) {
                if (step == 5 && spec.arguments().containsKey("lr")) {
                    stepped.setLearningRate(0.07f);
                }
                int n = step % 2 == 0 ? 40 : 50;
                float[] update = HostRule.gradient(random, n * width);
                if (step % 2 == 0) {
                    stepped.onHost(null, update);
                    stepped.stepAll(update, 20 * width & -4);
                } else {
                    long[] keys = random.longs(n, 100, 140).toArray();
                    stepped.onHost(LongArray.wrap(keys), update);
                    claims.push(stepped, keys, update, range);
                }
                stepped.assertEqual();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void sumsOfFewElementsAreThoseOfTheHost(int seed) { // many have no element beside which others do not count
        Random random = new Random(seed);
        try (HostKernels kernels = new HostKernels(Order.values()[seed % 4], seed)) {
            OptimizerSpec spec = HostRule.spec(Rule.LAMB).clipNorm(0.1);
            Range range = new Range(0, 3);
            HostRule stepped = new HostRule(kernels, spec, range, 3, random, 5);
            HostClaims claims = new HostClaims(kernels);
            for (int step = 0; step < 3; step++) {
                float[] update = HostRule.gradient(random, 9);
                stepped.onHost(null, update);
                stepped.stepAll(update, 4);
                stepped.assertEqual();
                long[] keys = {2, 0, 2};
                stepped.onHost(LongArray.wrap(keys), update);
                claims.push(stepped, keys, update, range);
                stepped.assertEqual();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void aPushWithAnInvalidKeyChangesNothing(Order order) {
        Random random = new Random(4);
        try (HostKernels kernels = new HostKernels(order, 5)) {
            Range range = new Range(100, 140);
            HostRule stepped = new HostRule(kernels, Rule.ADAM, range, 3, random, 5);
            HostClaims claims = new HostClaims(kernels);
            for (long invalid : new long[] {99, 140, -1, Long.MIN_VALUE, Long.MAX_VALUE, 105 + (1L << 32)}) {
                long[] keys = random.longs(30, 100, 140).toArray();
                keys[11] = invalid;
                keys[20] = invalid;
                claims.push(stepped, keys, HostRule.gradient(random, 90), range);
                assertThat(claims.firstInvalid(30)).isEqualTo(11);
                stepped.assertEqual();
            }
        }
    }

    @Test
    void correctionsBeyondTheTableAreThoseOfTheHost() {
        Random random = new Random(6);
        try (HostKernels kernels = kernels()) {
            HostRule stepped = new HostRule(kernels, Rule.ADAM, new Range(0, 500), 1, random, 20 * HostRule.KNOWN);
            float[] update = HostRule.gradient(random, 500);
            stepped.onHost(null, update);
            stepped.stepAll(update, 0);
            stepped.assertEqual(); // the host's powers are correctly rounded to float32, as Java's are
        }
    }

    @ParameterizedTest
    @MethodSource("generators")
    void initialValuesOfElementsAreThoseOfTheHost(HostGenerator generator) {
        try (HostKernels kernels = kernels()) {
            for (long first : new long[] {0, 1001, (1L << 40) + 3, Long.MAX_VALUE - 500}) {
                int n = 3000;
                long values = kernels.allocate(4L * n);
                kernels.launch("psf_fill", generator.behind(values, first, (long) n, 0));
                Generator onHost = generator.onHost();
                float[] expected = new float[n];
                for (int i = 0; i < n; i++) {
                    expected[i] = onHost.value(first + i);
                }
                assertSame(generator, kernels.floats(values, n), expected);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("generators")
    void rareDrawsAreThoseOfTheHost(HostGenerator generator) {
        try (HostKernels kernels = kernels()) {
            for (int shift = 0; shift < 64; shift++) {
                for (long bits : new long[] {1L << shift, -1L >>> shift, -1L << shift, Long.MAX_VALUE << shift}) {
                    long element = HostHash.elementWith(bits, generator.key());
                    long values = kernels.allocate(4);
                    kernels.launch("psf_fill", generator.behind(values, element, 1L, 0));
                    assertSame(generator, kernels.floats(values, 1), new float[] {
                        generator.onHost().value(element)
                    });
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("generators")
    void initialValuesOfRowsAreThoseOfTheHost(HostGenerator generator) {
        for (Order order : Order.values()) {
            try (HostKernels kernels = new HostKernels(order, 1)) {
                for (int width : new int[] {1, 3, 4, 8}) {
                    HostTable table = new HostTable(kernels, 64, KEYS.length);
                    long values = kernels.allocate(4L * KEYS.length * width);
                    int[] rows = table.insert(generator, values, width, KEYS);
                    float[] expected = new float[KEYS.length * width];
                    for (int i = 0; i < KEYS.length; i++) {
                        System.arraycopy(generator.row(KEYS[i], width), 0, expected, rows[i] * width, width);
                    }
                    assertSame(generator, kernels.floats(values, expected.length), expected);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("generators")
    void aMissingRowIsReadAsItsInitialValues(HostGenerator generator) {
        Random random = new Random(7);
        try (HostKernels kernels = kernels()) {
            for (int width : new int[] {1, 3, 4, 8}) {
                HostTable table = new HostTable(kernels, 64, 40);
                long[] there = {KEYS[3], KEYS[5], KEYS[0], KEYS[8]};
                int[] rows = table.insert(there);
                float[] values = HostRule.gradient(random, 40 * width);
                float[] expected = new float[KEYS.length * width];
                for (int i = 0; i < KEYS.length; i++) {
                    long key = KEYS[i];
                    int item = IntStream.range(0, there.length)
                            .filter(j -> there[j] == key)
                            .findFirst()
                            .orElse(-1);
                    float[] row = item < 0
                            ? generator.row(key, width)
                            : Arrays.copyOfRange(values, rows[item] * width, (rows[item] + 1) * width);
                    System.arraycopy(row, 0, expected, i * width, width);
                }
                assertSame(generator, table.pull(generator, kernels.copy(values), width, KEYS), expected);
                assertThat(table.status().missing()).isEqualTo(KEYS.length - there.length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void rowsOfATableThatDoesNotGrowAreCopiedInPieces(Order order) {
        Random random = new Random(9);
        try (HostKernels kernels = new HostKernels(order, 9)) {
            for (int width : new int[] {1, 3, 4, 8, 64}) {
                float[] values = HostRule.gradient(random, 40 * width);
                long table = kernels.copy(values);
                long[] keys = random.longs(90, 100, 140).toArray();
                long of = kernels.copy(keys);
                long status = kernels.allocate(24);
                for (int first : new int[] {0, 30, 60}) {
                    long into = kernels.allocate(4L * 30 * width);
                    kernels.launch("psf_pull_range", table, of, 90, first, 30, 100L, 140L, width, 0, into, status);
                    float[] expected = new float[30 * width];
                    for (int i = 0; i < 30; i++) {
                        int row = (int) keys[first + i] - 100;
                        System.arraycopy(values, row * width, expected, i * width, width);
                    }
                    assertThat(kernels.floats(into, 30 * width)).isEqualTo(expected);
                }
                assertThat(kernels.ints(status, 1)[0]).isZero();
                keys[71] = 140;
                keys[82] = 99;
                long into = kernels.allocate(4L * 30 * width);
                kernels.launch(
                        "psf_pull_range", table, kernels.copy(keys), 90, 60, 30, 100L, 140L, width, 0, into, status);
                assertThat(90 - kernels.ints(status, 1)[0]).isEqualTo(71);
                assertThat(kernels.floats(into, 30 * width)).contains(0f); // rows of invalid keys are left
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void rowsOfBagsAreAddedInOrderInPieces(Order order) {
        Random random = new Random(15);
        HostGenerator generator = new HostGenerator(Distribution.UNIFORM, -0.1, 0.2, 4);
        int[] ends = {1, 5, 9, 10, 37, 40, 90};
        int[] rows = random.ints(90, -10, 40)
                .map(row -> Math.max(row, HostTable.NONE))
                .toArray();
        long[] keys = random.longs(90).toArray();
        keys[0] = 12;
        rows[0] = HostTable.NONE;
        try (HostKernels kernels = new HostKernels(order, 15)) {
            for (int width : WIDTHS) {
                for (FloatType type : new FloatType[] {FloatType.FLOAT32, FloatType.FLOAT16, FloatType.BFLOAT16}) {
                    long n = 40L * width;
                    int storage = type.ordinal();
                    long table = kernels.allocate(4 * n);
                    kernels.launch(
                            "psf_encode", table, 0L, kernels.copy(HostRule.gradient(random, (int) n)), n, storage);
                    long decoded = kernels.allocate(4 * n);
                    kernels.launch("psf_decode", table, 0L, decoded, n, storage);
                    float[] values = kernels.floats(decoded, (int) n);
                    float[] expected = new float[ends.length * width];
                    for (int i = 0, bag = 0; i < 90; i++) {
                        bag += i == ends[bag] ? 1 : 0;
                        float[] row = rows[i] < 0
                                ? stored(generator.row(keys[i], width), type)
                                : Arrays.copyOfRange(values, rows[i] * width, (rows[i] + 1) * width);
                        for (int c = 0; c < width; c++) {
                            expected[bag * width + c] += row[c];
                        }
                    }
                    long items = kernels.copy(rows);
                    long of = kernels.copy(keys);
                    long behind = kernels.copy(ends);
                    for (int first : new int[] {0, 3}) {
                        int some = first == 0 ? 3 : 4;
                        long into = kernels.allocate(4L * some * width);
                        kernels.launch(
                                "psf_sum_rows",
                                generator.behind(table, items, of, behind, first, some, width, storage, into));
                        assertThat(kernels.floats(into, some * width))
                                .as("%s, %s wide", type, width)
                                .isEqualTo(Arrays.copyOfRange(expected, first * width, (first + some) * width));
                    }
                }
            }
        }
    }

    /** Rounds values as a table stores them. */
    private static float[] stored(float[] values, FloatType type) {
        if (type == FloatType.FLOAT32) {
            return values;
        }
        FloatArray halves =
                ArrayMemory.view(ByteBuffer.allocateDirect(2 * values.length).order(ByteOrder.LITTLE_ENDIAN), type);
        halves.copyFrom(FloatArray.wrap(values));
        return halves.toArray();
    }

    @Test
    void theStatusIsCopiedAndItsFirstWordsAreReset() {
        try (HostKernels kernels = kernels()) {
            long status = kernels.copy(1, 2, 3, 4, 5, 6);
            long into = kernels.allocate(24);
            kernels.launch("psf_end", status, into);
            assertThat(kernels.ints(into, 6)).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(kernels.ints(status, 6)).containsExactly(0, 0, 0, 0, 5, 6);
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void stepsAreCountedUnlessTheCallHasFailedAndTheLastThreadEndsIt(Order order) {
        try (HostKernels kernels = new HostKernels(order, 21)) {
            int[] rows = new Random(21).ints(0, 500).distinct().limit(200).toArray();
            rows[7] = HostTable.NONE;
            long of = kernels.copy(rows);
            long into = kernels.allocate(24);
            for (int[] failed : new int[][] {{0, 0}, {4, 0}, {0, 1}}) {
                long steps = kernels.copy(new float[500]);
                long status = kernels.copy(failed[0], failed[1], 0, 2, 5, 6, 0);
                kernels.launch("psf_end_steps", of, rows.length, steps, status, into);
                assertThat(kernels.ints(into, 6)).containsExactly(failed[0], failed[1], 0, 2, 5, 6);
                assertThat(kernels.ints(status, 7)).containsExactly(0, 0, 0, 0, 5, 6, 0);
                float[] expected = new float[500];
                for (int row : rows) {
                    if (row >= 0 && failed[0] + failed[1] == 0) {
                        expected[row] = 1;
                    }
                }
                assertThat(kernels.floats(steps, 500)).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest(name = "{0} {1} wide {2}")
    @MethodSource("rulesAndWidths")
    void updatesByKeysThatAscendAreThoseOfTheHost(Rule rule, int width, Order order) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(order, 13)) {
            Range range = new Range(100, 140);
            HostRule stepped = new HostRule(kernels, rule, range, width, random, 5);
            HostClaims claims = new HostClaims(kernels);
            for (int n : new int[] {1, 7, 30}) {
                long[] keys = random.longs(n, 100, 140).distinct().sorted().toArray();
                float[] update = HostRule.gradient(random, keys.length * width);
                stepped.onHost(LongArray.wrap(keys), update);
                claims.pushOnce(stepped, keys, update, range);
                assertThat(claims.duplicates()).isZero();
                stepped.assertEqual();
            }
        }
    }

    /** All rows have been stepped as often: their number is an argument, and no array. */
    @ParameterizedTest(name = "{0} {1} wide {2}")
    @MethodSource("rulesAndWidths")
    void denseUpdatesOfRowsWithOneNumberOfStepsAreThoseOfTheHost(Rule rule, int width, Order order) {
        Random random = new Random(width);
        try (HostKernels kernels = new HostKernels(order, 14)) {
            HostRule stepped = new HostRule(kernels, rule, new Range(0, 23), width, random, 0);
            for (int step = 1; step < 4; step++) {
                float[] update = HostRule.gradient(random, 23 * width);
                stepped.onHost(null, update);
                stepped.stepAllOnce(update, step);
                stepped.assertStatesEqual();
            }
        }
    }

    private static void assertSame(HostGenerator generator, float[] actual, float[] expected) {
        if (!generator.rounds()) {
            assertThat(actual).isEqualTo(expected);
            return;
        }
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i]).isCloseTo(expected[i], within(Math.ulp(expected[i])));
        }
    }

    @Test
    void rowsAreScatteredExceptThoseOfNone() {
        Random random = new Random(8);
        try (HostKernels kernels = kernels()) {
            for (int width : new int[] {1, 3, 4, 8}) {
                float[] values = HostRule.gradient(random, 10 * width);
                float[] from = HostRule.gradient(random, 5 * width);
                int[] rows = {7, 0, HostTable.NONE, 9, 3};
                long scattered = kernels.copy(values);
                kernels.launch("psf_scatter", scattered, kernels.copy(rows), 5, width, kernels.copy(from), 0);
                for (int i = 0; i < 5; i++) {
                    if (rows[i] >= 0) {
                        System.arraycopy(from, i * width, values, rows[i] * width, width);
                    }
                }
                assertThat(kernels.floats(scattered, values.length)).isEqualTo(values);
            }
        }
    }

    @Test
    void halvesAreThoseOfTheHost() {
        try (HostKernels kernels = new HostKernels(Order.SHUFFLED, 1)) {
            for (FloatType type : new FloatType[] {FloatType.FLOAT16, FloatType.BFLOAT16}) {
                float[] values = new float[1 << 16];
                ByteBuffer bytes = ByteBuffer.allocateDirect(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
                FloatArray halves = ArrayMemory.view(bytes, type);
                int[] all = new int[values.length / 2];
                for (int i = 0; i < values.length; i++) {
                    bytes.putShort(2 * i, (short) i);
                }
                bytes.asIntBuffer().get(all);
                long stored = kernels.copy(all);
                long into = kernels.allocate(4L * values.length);
                kernels.launch("psf_decode", stored, 0L, into, (long) values.length, type.ordinal());
                assertThat(kernels.floats(into, values.length)).as("%s", type).isEqualTo(halves.toArray());

                Random random = new Random(1);
                float[] exact = halves.toArray();
                for (int i = 0; i < values.length; i++) { // values between two halves, half-way ones, and any bits
                    float next = exact[Math.min(i + 1, values.length - 1)];
                    values[i] = i % 3 == 0
                            ? (exact[i] + next) / 2
                            : i % 3 == 1 ? Math.nextUp((exact[i] + next) / 2) : Float.intBitsToFloat(random.nextInt());
                }
                kernels.launch("psf_encode", stored, 0L, kernels.copy(values), (long) values.length, type.ordinal());
                halves.copyFrom(FloatArray.wrap(values));
                kernels.launch("psf_decode", stored, 0L, into, (long) values.length, type.ordinal());
                assertThat(kernels.floats(into, values.length)).as("%s", type).isEqualTo(halves.toArray());
            }
        }
    }
}
