package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.testkit.TestShard;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule against its formula in plain float64 loops: 20 steps, 1e-5 relative. */
class RuleTest {
    private static final int STEPS = 20;

    static Stream<Arguments> rulesAndShapes() {
        int[][] shapes = {{7, 3}, {1500, 1}, {3, 1300}, {600, 16}};
        return Stream.of(shapes)
                .flatMap(
                        shape -> rules().map(rule -> Arguments.of(rule, RuleTest.arguments(rule), shape[0], shape[1])));
    }

    static Stream<Rule> rules() {
        return Stream.of(Rule.values());
    }

    private static float[] arguments(Rule rule) {
        return switch (rule) {
            case ADD -> new float[] {2};
            case ASSIGN -> new float[] {};
            case SGD -> new float[] {0.05f};
            case MOMENTUM, NESTEROV -> new float[] {0.05f, 0.9f};
            case ADA_GRAD -> new float[] {0.05f, 0.1f, 1e-7f};
            case ADAM -> new float[] {0.01f, 0.9f, 0.999f, 1e-8f};
        };
    }

    @ParameterizedTest(name = "{0} {2} x {3}")
    @MethodSource("rulesAndShapes")
    void densePushesFollowTheFormula(Rule rule, float[] arguments, int rows, int width) {
        Random random = new Random(1);
        TestShard shard = TestShard.whole(rows, width, rule.create(arguments));
        Reference reference = new Reference(rule, arguments, shard, random);
        for (int step = 0; step < STEPS; step++) {
            float[] g = gradient(random, rows * width);
            shard.optimizer().apply(shard, FloatArray.wrap(g));
            for (int row = 0; row < rows; row++) {
                reference.step(row, g, row * width);
            }
        }
        reference.assertSame();
        assertThat(shard.attachments().all()).isEmpty(); // what is beside each of many shards adds up
    }

    @ParameterizedTest(name = "{0} {2} x {3}")
    @MethodSource("rulesAndShapes")
    void sparsePushesWithDuplicatesFollowTheFormulaAndTouchNothingElse(
            Rule rule, float[] arguments, int rows, int width) {
        Random random = new Random(2);
        TestShard shard = TestShard.of(new Range(100, rows + 100), rows + 100, width, rule.create(arguments));
        Reference reference = new Reference(rule, arguments, shard, random);
        for (int step = 0; step < STEPS; step++) {
            TreeMap<Long, float[]> folded = new TreeMap<>(); // as a worker folds duplicates before it sends them
            for (int i = 0; i < 5; i++) {
                float[] g = gradient(random, width);
                folded.merge(100L + random.nextInt(rows), g, RuleTest::sum);
            }
            long[] keys = folded.keySet().stream().mapToLong(key -> key).toArray();
            float[] update = new float[keys.length * width];
            for (int i = 0; i < keys.length; i++) {
                System.arraycopy(folded.get(keys[i]), 0, update, i * width, width);
                reference.step((int) keys[i] - 100, update, i * width);
            }
            shard.optimizer().apply(shard, LongArray.wrap(keys), FloatArray.wrap(update));
        }
        reference.assertSame();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theKernelOfAnOptimizerNamesItsSlots(Rule rule) {
        TiledOptimizer optimizer = (TiledOptimizer) rule.create(arguments(rule));
        Kernel kernel = optimizer.kernel();
        assertThat(kernel).usingRecursiveComparison().isEqualTo(rule.kernel(arguments(rule)));
        TestShard shard = TestShard.whole(4, 3, optimizer);
        optimizer.apply(shard, FloatArray.allocate(12));
        Map<String, Integer> widths = new HashMap<>();
        shard.storedSlots().forEach((name, slot) -> widths.put(name, slot.width()));
        Map<String, Integer> expected = new HashMap<>();
        kernel.state().forEach(name -> expected.put(name, 3));
        if (kernel.countsSteps()) {
            expected.put(Kernel.STEPS, 1);
        }
        assertThat(widths).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} {2} x {3}")
    @MethodSource("rulesAndShapes")
    void denseAndSparsePushesMayBeMixed(Rule rule, float[] arguments, int rows, int width) {
        Random random = new Random(3);
        TestShard shard = TestShard.whole(rows, width, rule.create(arguments));
        Reference reference = new Reference(rule, arguments, shard, random);
        for (int step = 0; step < STEPS; step++) {
            if (step % 3 == 2) {
                float[] g = gradient(random, rows * width);
                shard.optimizer().apply(shard, FloatArray.wrap(g));
                for (int row = 0; row < rows; row++) {
                    reference.step(row, g, row * width);
                }
            } else {
                int row = random.nextInt(rows);
                float[] g = gradient(random, width);
                shard.optimizer().apply(shard, LongArray.of(row), FloatArray.wrap(g));
                reference.step(row, g, 0);
            }
        }
        reference.assertSame();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void aKeyThatOccursTwiceUnfoldedIsTwoSteps(Rule rule) {
        float[] arguments = arguments(rule);
        Random random = new Random(4);
        TestShard shard = TestShard.whole(3, 2, rule.create(arguments));
        Reference reference = new Reference(rule, arguments, shard, random);
        float[] g = gradient(random, 4);
        shard.optimizer().apply(shard, LongArray.of(1, 1), FloatArray.wrap(g));
        reference.step(1, g, 0);
        reference.step(1, g, 2);
        reference.assertSame();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void keysThatOccurOftenAndInAnyOrderAreSteppedInOrder(Rule rule) {
        float[] arguments = arguments(rule);
        Random random = new Random(5);
        TestShard shard = TestShard.whole(40, 3, rule.create(arguments));
        Reference reference = new Reference(rule, arguments, shard, random);
        for (int push = 0; push < 3; push++) {
            long[] keys = random.longs(500, 0, 40).toArray();
            float[] g = gradient(random, 3 * keys.length);
            for (int i = 0; i < keys.length; i++) {
                reference.step((int) keys[i], g, 3 * i);
            }
            shard.optimizer().apply(shard, LongArray.wrap(keys), FloatArray.wrap(g));
        }
        reference.assertSame();
    }

    @Test
    void oneOptimizerServesManyShards() {
        Optimizer adam = Rule.ADAM.create(arguments(Rule.ADAM));
        TestShard one = TestShard.whole(2, 2, adam);
        TestShard two = TestShard.whole(2, 2, adam);
        for (int step = 0; step < 3; step++) {
            adam.apply(one, FloatArray.of(1, 2, 3, 4));
        }
        adam.apply(two, FloatArray.of(1, 2, 3, 4));
        TestShard fresh = TestShard.whole(2, 2, adam);
        adam.apply(fresh, FloatArray.of(1, 2, 3, 4));
        assertThat(two.values()).isEqualTo(fresh.values());
    }

    @Test
    void oneShardServesManyOptimizers() {
        TestShard shard = TestShard.whole(1, 1, Rule.ADD.create(1));
        shard.optimizer().apply(shard, FloatArray.of(1));
        Rule.ADAM.create(arguments(Rule.ADAM)).apply(shard, FloatArray.of(1));
        Rule.MOMENTUM.create(1, 0).apply(shard, FloatArray.of(1));
        assertThat(shard.values().get(0)).isCloseTo(-0.01f, within(1e-6f));
    }

    @Test
    void updatesOfAWrongShapeChangeNothing() {
        TestShard shard = TestShard.of(new Range(128, 256), 300, 64, Rule.ADD.create(1));
        assertThatThrownBy(() -> shard.optimizer().apply(shard, FloatArray.allocate(4096)))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: update length: 4096 (expected: 8192 = 128 rows x 64 wide)");
        assertThatThrownBy(() -> shard.optimizer().apply(shard, LongArray.of(130, 131), FloatArray.allocate(64)))
                .hasMessage("BAD_REQUEST: update length: 64 (expected: 128 = 2 keys x 64 wide)");
        FloatArray ones = FloatArray.allocate(128);
        ones.fill(1);
        assertThatThrownBy(() -> shard.optimizer().apply(shard, LongArray.of(130, 256), ones))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.OUT_OF_RANGE));
        assertThat(shard.values().toArray()).containsOnly(0);
    }

    @Test
    void argumentsOutsideTheirRangeAreRefused() {
        assertThatThrownBy(() -> Rule.SGD.create(Float.NaN)).hasMessage("lr: NaN (expected: finite)");
        assertThatThrownBy(() -> Rule.MOMENTUM.create(0.1f, 1)).hasMessage("m: 1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Rule.ADA_GRAD.create(0.1f, -1, 1)).hasMessage("a0: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Rule.ADAM.create(0.1f, 0.9f, 0.999f, 0)).hasMessage("eps: 0.0 (expected: > 0)");
        assertThatThrownBy(() -> Rule.ADAM.create(0.1f))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("arguments of ADAM: 1 (expected: 4 = [lr, b1, b2, eps])");
    }

    private static float[] gradient(Random random, int n) {
        float[] g = new float[n];
        for (int i = 0; i < n; i++) {
            g[i] = (float) random.nextGaussian();
        }
        return g;
    }

    private static float[] sum(float[] a, float[] b) {
        float[] sum = new float[a.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }

    /** The formulas, one element at a time in float64. */
    private static final class Reference {
        private final Rule rule;
        private final double[] arg;
        private final TestShard shard;
        private final int width;
        private final double[] w;
        private final double[] first;
        private final double[] second;
        private final int[] steps;

        Reference(Rule rule, float[] arguments, TestShard shard, Random random) {
            this.rule = rule;
            this.shard = shard;
            this.width = shard.width();
            arg = new double[arguments.length];
            for (int i = 0; i < arg.length; i++) {
                arg[i] = arguments[i];
            }
            w = new double[shard.values().length()];
            first = new double[w.length];
            second = new double[w.length];
            steps = new int[shard.rows()];
            for (int i = 0; i < w.length; i++) {
                shard.values().set(i, 10 + random.nextFloat());
                w[i] = shard.values().get(i);
            }
        }

        void step(int row, float[] gradient, int at) {
            int t = ++steps[row];
            for (int c = 0; c < width; c++) {
                int i = row * width + c;
                double g = gradient[at + c];
                switch (rule) {
                    case ADD -> w[i] += arg[0] * g;
                    case ASSIGN -> w[i] = g;
                    case SGD -> w[i] -= arg[0] * g;
                    case MOMENTUM -> {
                        first[i] = arg[1] * first[i] - arg[0] * g;
                        w[i] += first[i];
                    }
                    case NESTEROV -> {
                        double step = -arg[0] * g;
                        first[i] = arg[1] * (first[i] + step);
                        w[i] += first[i] + step;
                    }
                    case ADA_GRAD -> {
                        first[i] += g * g;
                        w[i] -= arg[0] * g / (Math.sqrt(arg[1] + first[i]) + arg[2]);
                    }
                    case ADAM -> {
                        first[i] = arg[1] * first[i] + (1 - arg[1]) * g;
                        second[i] = arg[2] * second[i] + (1 - arg[2]) * g * g;
                        double m = first[i] / (1 - Math.pow(arg[1], t));
                        double v = second[i] / (1 - Math.pow(arg[2], t));
                        w[i] -= arg[0] * m / (Math.sqrt(v) + arg[3]);
                    }
                }
            }
        }

        void assertSame() {
            for (int i = 0; i < w.length; i++) {
                assertThat((double) shard.values().get(i))
                        .as("element %s", i)
                        .isCloseTo(w[i], within(1e-5 * Math.max(1, Math.abs(w[i]))));
            }
        }
    }
}
