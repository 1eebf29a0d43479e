package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.PsOptimizer;
import io.psf.api.Range;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Laws;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.internal.named.NamedClasses;
import io.psf.testkit.TestShard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every optimizer of psf against its formula in plain float64 loops: the changes by some steps, 1e-5 relative. */
class FormulasTest {
    private static final double START = 1e-3;

    /** Returns the number of steps: many of a small tensor, and some of those whose rows fill tiles. */
    private static int steps(int rows, int width) {
        return rows * width < 1000 ? 20 : Laws.cases(5);
    }

    static Stream<Arguments> rulesAndShapes() {
        int[][] shapes = {{7, 3}, {1500, 1}, {3, 1300}, {600, 16}};
        return Stream.of(shapes).flatMap(shape -> rules().map(rule -> Arguments.of(rule, shape[0], shape[1])));
    }

    /** With an eps near the gradients, so that it counts where it stands in the formula. */
    static Stream<OptimizerSpec> rules() {
        return Stream.of(
                Optimizers.add(2),
                Optimizers.assign(),
                Optimizers.sgd(0.05),
                Optimizers.momentum(0.05, 0.9),
                Optimizers.nesterov(0.05, 0.9),
                Optimizers.adaGrad(0.05, 0.1, 0.3),
                Optimizers.rowAdaGrad(0.05, 0.1, 0.3),
                Optimizers.rmsProp(0.01, 0.9, 0.3),
                Optimizers.adaDelta(1, 0.95, 0.3),
                Optimizers.adam(0.01, 0.9, 0.999, 0.3),
                Optimizers.lazyAdam(0.01, 0.9, 0.999, 0.3),
                Optimizers.adamW(0.01, 0.9, 0.999, 0.3, 0.5),
                Optimizers.lamb(0.1, 0.9, 0.999, 0.3, 0.5),
                Optimizers.allRowsAdam(0.01, 0.9, 0.999, 0.3),
                Optimizers.ftrl(0.1, 1, 0.5, 0.1),
                Optimizers.ftrl(0.1, 1, 0.5, 0.1, 0.7));
    }

    @Test
    void aZeroGradientOfFtrlLeavesZeroWhateverTheArguments() {
        TestShard shard = TestShard.whole(100, 1, Optimizers.ftrl(0.1, 0, 0, 0).create());
        shard.optimizer().apply(shard, FloatArray.allocate(100));
        assertThat(shard.values().toArray()).containsOnly(0f);
        float[] gradient = new float[100];
        gradient[7] = 2;
        shard.optimizer().apply(shard, FloatArray.wrap(gradient));
        assertThat(shard.values().toArray()).doesNotContain(Float.NaN);
        assertThat(shard.values().get(7)).isEqualTo(-0.1f, within(1e-6f));
    }

    @Test
    void everyOptimizerOfPsfIsHere() {
        assertThat(rules().map(OptimizerSpec::name).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        NamedClasses.on(FormulasTest.class.getClassLoader(), PsOptimizer.class).names().stream()
                                .filter(name -> name.startsWith("psf."))
                                .toList());
    }

    private static Reference reference(OptimizerSpec rule, TestShard shard, Random random) {
        Reference reference = new Reference(rule, shard.rows(), shard.width(), START, random);
        shard.values().copyFrom(FloatArray.wrap(reference.weights()));
        return reference;
    }

    @ParameterizedTest(name = "{0} {1} x {2}")
    @MethodSource("rulesAndShapes")
    void densePushesFollowTheFormula(OptimizerSpec rule, int rows, int width) {
        Random random = new Random(1);
        TestShard shard = TestShard.whole(rows, width, rule.create());
        Reference reference = reference(rule, shard, random);
        for (int step = 0; step < steps(rows, width); step++) {
            float[] g = gradient(random, rows * width);
            shard.optimizer().apply(shard, FloatArray.wrap(g));
            reference.push(g);
        }
        reference.assertSame(shard);
        if (!rule.name().equals("psf.lazy-adam") && !rule.name().equals("psf.all-rows-adam")) {
            assertThat(shard.attachments().all()).isEmpty(); // what is beside each of many shards adds up
        }
    }

    @ParameterizedTest(name = "{0} {1} x {2}")
    @MethodSource("rulesAndShapes")
    void sparsePushesWithDuplicatesFollowTheFormulaAndTouchNothingElse(OptimizerSpec rule, int rows, int width) {
        Random random = new Random(2);
        TestShard shard = TestShard.of(new Range(100, rows + 100), rows + 100, width, rule.create());
        Reference reference = reference(rule, shard, random);
        for (int step = 0; step < steps(rows, width); step++) {
            TreeMap<Long, float[]> folded = new TreeMap<>(); // as a worker folds duplicates before it sends them
            for (int i = 0; i < 5; i++) {
                float[] g = gradient(random, width);
                folded.merge(100L + random.nextInt(rows), g, FormulasTest::sum);
            }
            long[] keys = folded.keySet().stream().mapToLong(key -> key).toArray();
            float[] update = new float[keys.length * width];
            int[] stepped = new int[keys.length];
            for (int i = 0; i < keys.length; i++) {
                System.arraycopy(folded.get(keys[i]), 0, update, i * width, width);
                stepped[i] = (int) keys[i] - 100;
            }
            reference.push(stepped, update);
            push(shard, keys, update);
        }
        reference.assertSame(shard);
    }

    /** A tensor without a norm has the ratio 1 in the formula of LAMB. */
    @ParameterizedTest
    @MethodSource("rules")
    void weightsThatBeginAtZeroFollowTheFormula(OptimizerSpec rule) {
        Random random = new Random(6);
        TestShard shard = TestShard.whole(40, 3, rule.create());
        Reference reference = new Reference(rule, 40, 3, 0, random);
        for (int step = 0; step < 3; step++) {
            float[] g = gradient(random, 120);
            shard.optimizer().apply(shard, FloatArray.wrap(g));
            reference.push(g);
            reference.assertSame(shard);
        }
    }

    /** Pushes to a shard that may be a part of its tensor, whose other parts add nothing to sums. */
    private static void push(TestShard shard, long[] keys, float[] update) {
        TiledOptimizer optimizer = (TiledOptimizer) shard.optimizer();
        if (!optimizer.needsSums()) {
            optimizer.apply(shard, LongArray.wrap(keys), FloatArray.wrap(update));
            return;
        }
        assertThatThrownBy(() -> optimizer.apply(shard, LongArray.wrap(keys), FloatArray.wrap(update)))
                .hasMessageContaining(
                        "needs sums over all slices of tensor \"w\" (expected: a push, or a tensor of one");
        Step step = optimizer.begin(shard, LongArray.wrap(keys), FloatArray.wrap(update));
        while (step.needsSums()) {
            step.take(step.sums());
        }
        step.apply();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theKernelOfAnOptimizerNamesItsSlots(OptimizerSpec rule) {
        TiledOptimizer optimizer = (TiledOptimizer) rule.create();
        Kernel kernel = optimizer.kernel();
        TestShard shard = TestShard.whole(4, 3, optimizer);
        optimizer.apply(shard, FloatArray.allocate(12));
        Map<String, Integer> widths = new HashMap<>();
        shard.storedSlots().forEach((name, slot) -> widths.put(name, slot.width()));
        Map<String, Integer> expected = new HashMap<>();
        kernel.state().forEach(name -> expected.put(name, 3));
        if (kernel instanceof RowKernel byRow) {
            byRow.rowState().forEach(name -> expected.put(name, 1));
        }
        if (kernel.counting() == Kernel.Counting.ROWS) {
            expected.put(Kernel.STEPS, 1);
        }
        assertThat(widths).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} {1} x {2}")
    @MethodSource("rulesAndShapes")
    void denseAndSparsePushesMayBeMixed(OptimizerSpec rule, int rows, int width) {
        Random random = new Random(3);
        TestShard shard = TestShard.whole(rows, width, rule.create());
        Reference reference = reference(rule, shard, random);
        for (int step = 0; step < 20; step++) {
            if (step % 3 == 2) {
                float[] g = gradient(random, rows * width);
                shard.optimizer().apply(shard, FloatArray.wrap(g));
                reference.push(g);
            } else {
                int row = random.nextInt(rows);
                float[] g = gradient(random, width);
                shard.optimizer().apply(shard, LongArray.of(row), FloatArray.wrap(g));
                reference.push(new int[] {row}, g);
            }
        }
        reference.assertSame(shard);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void aKeyThatOccursTwiceUnfoldedIsTwoSteps(OptimizerSpec rule) {
        Random random = new Random(4);
        TestShard shard = TestShard.whole(3, 2, rule.create());
        Reference reference = reference(rule, shard, random);
        float[] g = gradient(random, 4);
        shard.optimizer().apply(shard, LongArray.of(1, 1), FloatArray.wrap(g));
        reference.push(new int[] {1, 1}, g);
        reference.assertSame(shard);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void keysThatOccurOftenAndInAnyOrderAreSteppedInOrder(OptimizerSpec rule) {
        Random random = new Random(5);
        TestShard shard = TestShard.whole(40, 3, rule.create());
        Reference reference = reference(rule, shard, random);
        for (int push = 0; push < 3; push++) {
            long[] keys = random.longs(500, 0, 40).toArray();
            float[] g = gradient(random, 3 * keys.length);
            reference.push(LongStream.of(keys).mapToInt(key -> (int) key).toArray(), g);
            shard.optimizer().apply(shard, LongArray.wrap(keys), FloatArray.wrap(g));
        }
        reference.assertSame(shard);
    }

    @Test
    void oneOptimizerServesManyShards() {
        Optimizer adam = Optimizers.adam(0.01).create();
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
        TestShard shard = TestShard.whole(1, 1, Optimizers.add().create());
        shard.optimizer().apply(shard, FloatArray.of(1));
        Optimizers.adam(0.01).create().apply(shard, FloatArray.of(1));
        Optimizers.momentum(1, 0).create().apply(shard, FloatArray.of(1));
        assertThat(shard.values().get(0)).isCloseTo(-0.01f, within(1e-6f));
    }

    @Test
    void updatesOfAWrongShapeChangeNothing() {
        TestShard shard =
                TestShard.of(new Range(128, 256), 300, 64, Optimizers.add().create());
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
        assertThatThrownBy(() -> Optimizers.sgd(Double.NaN)).hasMessage("lr: NaN (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.momentum(0.1, 1)).hasMessage("m: 1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.adaGrad(0.1, -1, 1)).hasMessage("a0: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.adam(0.1, 0.9, 0.999, 0)).hasMessage("eps: 0.0 (expected: > 0)");
        assertThatThrownBy(() -> Optimizers.ftrl(0, 1, 1)).hasMessage("lr: 0.0 (expected: > 0)");
        assertThatThrownBy(() -> Optimizers.of("psf.adam", Map.of("lr", 0.1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("argument \"b1\" of psf.adam: missing (expected: lr, b1, b2, eps)");
        assertThatThrownBy(() -> Optimizers.of("psf.sgd", Map.of("lr", 0.1, "momentum", 0.9)))
                .hasMessage("argument of psf.sgd: \"momentum\" (expected: lr)");
        assertThatThrownBy(() -> Optimizers.of("psf.sgd", Map.of("lr", "fast")))
                .hasMessage("argument \"lr\" of psf.sgd: \"fast\" (expected: a float32)");
    }

    /** It would climb in silence. */
    @Test
    void aNegativeLearningRateIsRefused() {
        List<Function<Double, OptimizerSpec>> all = List.of(
                Optimizers::sgd,
                rate -> Optimizers.momentum(rate, 0.9),
                rate -> Optimizers.nesterov(rate, 0.9),
                Optimizers::adaGrad,
                Optimizers::rowAdaGrad,
                Optimizers::rmsProp,
                rate -> Optimizers.adaDelta(rate, 0.95, 1e-6),
                Optimizers::adam,
                Optimizers::lazyAdam,
                Optimizers::allRowsAdam,
                Optimizers::adamW,
                Optimizers::lamb,
                rate -> Optimizers.ftrl(rate, 1, 1),
                rate -> Optimizers.ftrl(rate, 1, 1, 1, 0.1));
        for (Function<Double, OptimizerSpec> each : all) {
            for (double rate : new double[] {-1, -1e-6, Double.POSITIVE_INFINITY}) {
                assertThatThrownBy(() -> each.apply(rate))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("lr: " + (float) rate + " (expected: ");
            }
            assertThat(each.apply(0.5).arguments()).containsEntry("lr", "0.5");
        }
    }

    @Test
    void everyArgumentHasItsRange() {
        assertThatThrownBy(() -> Optimizers.rmsProp(0.1, 1, 1)).hasMessage("rho: 1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.rmsProp(0.1, 0.9, -1)).hasMessage("eps: -1.0 (expected: > 0)");
        assertThatThrownBy(() -> Optimizers.adaDelta(1, -0.1, 1)).hasMessage("rho: -0.1 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.adam(0.1, 1, 0.9, 1)).hasMessage("b1: 1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.lamb(0.1, 0.9, 1, 1, 0)).hasMessage("b2: 1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.adamW(0.1, 0.9, 0.9, 1, -1)).hasMessage("decay: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.ftrl(0.1, -1, 1)).hasMessage("l1: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.ftrl(0.1, -1, 1, 1)).hasMessage("beta: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.rowAdaGrad(0.1, -1, 1)).hasMessage("a0: -1.0 (expected: >= 0)");
        assertThatThrownBy(() -> Optimizers.nesterov(0.1, -1)).hasMessage("m: -1.0 (expected: in [0, 1))");
        assertThatThrownBy(() -> Optimizers.add(Double.NaN)).hasMessage("scale: NaN (expected: finite)");
        assertThatThrownBy(() -> Optimizers.sgd(1).weightDecay(-1))
                .hasMessageStartingWith("weightDecay: -1.0 (expected: >= 0");
        assertThatThrownBy(() -> Optimizers.sgd(1).clipNorm(-1))
                .hasMessageStartingWith("clipNorm: -1.0 (expected: >= 0");
        assertThatThrownBy(() -> Optimizers.sgd(1).clipValue(-1))
                .hasMessageStartingWith("clipValue: -1.0 (expected: >= 0");
    }

    @Test
    void aScheduleThatEndsAtARateWhichTheFormulaDoesNotTakeIsRefused() {
        OptimizerSpec ftrl = Optimizers.ftrl(0.1, 1, 1);
        for (Schedule schedule :
                List.of(Schedule.linear(5, 0), Schedule.cosine(5, 0).warmUp(3), Schedule.step(5, 0))) {
            assertThatThrownBy(() -> ftrl.schedule(schedule))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("learning rate of psf.ftrl with {schedule=")
                    .hasMessageEndingWith(": 0.0, which it refuses: lr: 0.0 (expected: > 0)");
            assertThat(Optimizers.sgd(0.1).schedule(schedule).options()).containsKey("schedule");
        }
        assertThat(ftrl.schedule(Schedule.step(5, 0.5).warmUp(10)).options()).containsKey("schedule");
    }

    @Test
    void anOptionThatIsNoneOfItsTypeIsRefused() {
        assertThatThrownBy(() -> Options.of(Map.of("schedule", "step", "schedule.steps", "10.7")))
                .hasMessage("schedule.steps: \"10.7\" (expected: a whole number of steps)");
        assertThatThrownBy(() -> Options.of(Map.of("schedule.warmUp", "long")))
                .hasMessage("schedule.warmUp: \"long\" (expected: a whole number of steps)");
        assertThatThrownBy(() -> Options.of(Map.of("clipNorm", "1,5")))
                .hasMessage("clipNorm: \"1,5\" (expected: a number)");
        assertThatThrownBy(() -> Options.of(Map.of("schedule", "sine")))
                .hasMessage("schedule: \"sine\" (expected: constant, step, linear or cosine)");
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
}
