package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.builtin.tensor.SetOptimizerPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.TestShard;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Optimizers on whole clusters: on 1, 2 and 3 servers, with sums over all slices, and changed while they run. */
class OptimizersOnServersTest {
    private static final int STEPS = 20;
    private static final int ROWS = 41;
    private static final int WIDTH = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void ht9_everyOptimizerFollowsItsFormulaDenseAndSparseWithDuplicates(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            for (OptimizerSpec rule : FormulasTest.rules().toList()) {
                follow(cluster.worker(), rule, "dense " + rule, false);
                follow(cluster.worker(), rule, "sparse " + rule, true);
            }
        }
    }

    private static void follow(Worker worker, OptimizerSpec rule, String name, boolean sparse) {
        Random random = new Random(11);
        Reference reference = new Reference(rule, ROWS, WIDTH, 1e-3, random);
        TensorSpec spec = TensorSpec.table(name, ROWS, WIDTH)
                .slices(5)
                .optimizer(rule)
                .initializer(Initializers.of(reference.weights()));
        TensorId tensor = Tensors.init(worker, spec);
        for (int step = 0; step < STEPS; step++) {
            if (!sparse) {
                float[] g = gradient(random, ROWS * WIDTH);
                reference.push(g);
                Tensors.push(worker, tensor, g).await();
                continue;
            }
            long[] keys = random.longs(12, 0, ROWS).toArray(); // with duplicates, which the worker folds
            float[] g = gradient(random, keys.length * WIDTH);
            Tensors.pushRows(worker, tensor, keys, g).await();
            TreeMap<Integer, float[]> folded = new TreeMap<>();
            for (int i = 0; i < keys.length; i++) {
                float[] sum = folded.computeIfAbsent((int) keys[i], key -> new float[WIDTH]);
                for (int c = 0; c < WIDTH; c++) {
                    sum[c] += g[i * WIDTH + c];
                }
            }
            float[] sums = new float[folded.size() * WIDTH];
            int at = 0;
            for (float[] sum : folded.values()) {
                System.arraycopy(sum, 0, sums, WIDTH * at++, WIDTH);
            }
            reference.push(folded.keySet().stream().mapToInt(key -> key).toArray(), sums);
        }
        reference.assertSame(Tensors.pull(worker, tensor));
    }

    /** The rows of a server are in memory that is loaded ahead, those of a test's shard are on the heap. */
    @Test
    void rowsThatAreLoadedAheadAreSteppedAsOnTheHeap() {
        int rows = 20_000;
        int width = 16;
        List<OptimizerSpec> rules = List.of(
                Optimizers.rowAdaGrad(0.05, 0.1, 0.3),
                Optimizers.rowAdaGrad(0.05, 0.1, 0.3).clipNorm(2),
                Optimizers.sgd(0.05).clipNorm(2),
                Optimizers.lamb(0.1, 0.9, 0.999, 0.3, 0.5),
                Optimizers.ftrl(0.1, 1, 0.5, 0.1));
        Random random = new Random(17);
        try (PsCluster cluster = PsCluster.embedded(1)) {
            for (int r = 0; r < rules.size(); r++) {
                OptimizerSpec rule = rules.get(r);
                TensorSpec spec = TensorSpec.table("ahead" + r, rows, width).optimizer(rule);
                TensorId tensor = Tensors.init(cluster.worker(), spec);
                TestShard onHeap = TestShard.whole(rows, width, rule.create());
                for (int step = 0; step < 3; step++) {
                    long[] keys =
                            random.longs(3000, 0, rows).distinct().sorted().toArray();
                    float[] update = gradient(random, keys.length * width);
                    Tensors.pushRows(cluster.worker(), tensor, keys, update).await();
                    TiledOptimizer optimizer = (TiledOptimizer) onHeap.optimizer();
                    optimizer.complete(onHeap, new TiledRows(onHeap, LongArray.wrap(keys), FloatArray.wrap(update)));
                }
                assertThat(Tensors.pull(cluster.worker(), tensor))
                        .as("%s", rule)
                        .isEqualTo(onHeap.values().toArray());
            }
        }
    }

    private static float[] gradient(Random random, int n) {
        float[] g = new float[n];
        for (int i = 0; i < n; i++) {
            g[i] = (float) random.nextGaussian();
        }
        return g;
    }

    private static float[] ones(int n, float value) {
        float[] ones = new float[n];
        Arrays.fill(ones, value);
        return ones;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theNormThatIsClippedIsThatOfTheWholeTensor(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 100)
                            .slices(7)
                            .optimizer(Optimizers.sgd(1).clipNorm(5)));
            Tensors.push(worker, w, ones(100, 2)).await(); // a norm of 20
            assertThat(Tensors.pull(worker, w)).containsOnly(-0.5f);
            Tensors.push(worker, w, ones(100, 0.25f)).await(); // a norm of 2.5
            assertThat(Tensors.pull(worker, w)).containsOnly(-0.75f);
            Tensors.pushRows(worker, w, new long[] {1, 99, 1}, new float[] {3, 8, 3})
                    .await(); // folded, a norm of 10
            float[] values = Tensors.pull(worker, w);
            assertThat(values[1]).isCloseTo(-3.75f, within(1e-5f));
            assertThat(values[99]).isCloseTo(-4.75f, within(1e-5f));
            assertThat(values[0]).isEqualTo(-0.75f);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theNormOfAPushToAGrowingTableIsThatOfItsRows(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            TensorId t = Tensors.init(
                    cluster.worker(),
                    TensorSpec.growing("t", 1)
                            .slices(4)
                            .optimizer(Optimizers.sgd(1).clipNorm(5)));
            long[] keys = {3, -99, 1L << 50, 7, 8};
            Tensors.pushRows(cluster.worker(), t, keys, new float[] {6, 8, 0, 0, 0})
                    .await();
            Tensors.pushRows(cluster.worker(), t, new long[0], new float[0]).await();
            float[] values = new float[keys.length];
            Tensors.pullRows(cluster.worker(), t, keys, values).await();
            assertThat(values).containsExactly(-3, -4, 0, 0, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPushWhoseNormIsNotFiniteFailsAndChangesNothing(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 1000)
                            .slices(7)
                            .optimizer(Optimizers.sgd(1).clipNorm(1)));
            for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
                float[] gradient = ones(1000, 100);
                gradient[999] = bad;
                assertThatThrownBy(() -> Tensors.push(worker, w, gradient).await())
                        .hasMessageStartingWith("BAD_REQUEST: norm of the gradient: " + bad + " (expected: finite");
                assertThat(Tensors.pull(worker, w)).containsOnly(0);
            }
            Tensors.push(worker, w, ones(1000, 0.03125f)).await();
            assertThat(Tensors.pull(worker, w)).containsOnly(-0.03125f);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "1, true", "2, true"})
    void aPushThatIsNotFiniteIsLeftOutOnAllSlicesAndCounted(int servers, boolean clips) {
        OptimizerSpec optimizer = Optimizers.sgd(1).skipNonFinite().clipNorm(clips ? 1000 : 0);
        try (PsCluster cluster = PsCluster.embedded(servers, 2)) {
            List<Worker> workers = cluster.workers();
            TensorSpec reduced = TensorSpec.dense("r", 4).updates(Updates.SUM).optimizer(optimizer);
            assertThatThrownBy(() -> Weights.reduced(workers.get(0), reduced))
                    .hasMessageContaining("FLOAT32, and neither skipNonFinite nor a global norm)");
            for (int slices : new int[] {servers, 5}) {
                String name = "w" + slices;
                TensorId each = Tensors.init(
                        workers.get(0),
                        TensorSpec.dense(name, 100).slices(slices).optimizer(optimizer));
                TensorSpec mean = TensorSpec.dense(name + ".mean", 100)
                        .slices(slices)
                        .updates(Updates.MEAN)
                        .optimizer(optimizer);
                workers.forEach(worker -> Tensors.init(worker, mean));
                TensorId rounds = mean.tensor().id();
                float[] bad = ones(100, 1);
                bad[99] = Float.NaN;
                Tensors.push(workers.get(1), each, bad).await();
                Tensors.pushRows(workers.get(1), each, new long[] {0, 99}, new float[] {1, Float.NEGATIVE_INFINITY})
                        .await();
                Tensors.push(workers.get(0), each, ones(100, 1)).await();
                assertThat(Tensors.pull(workers.get(0), each)).containsOnly(-1);
                assertThat(Tensors.rounds(workers.get(0), each).skipped()).isEqualTo(Map.of(1, 2L));
                float[][][] pushes = {{ones(100, 1), bad}, {bad, ones(100, 2)}, {bad, bad}, {ones(100, 1), ones(100, 3)}
                };
                for (float[][] round : pushes) {
                    var one = Tensors.push(workers.get(0), rounds, round[0]);
                    var two = Tensors.push(workers.get(1), rounds, round[1]);
                    one.await();
                    two.await();
                }
                assertThat(Tensors.pull(workers.get(0), rounds)).containsOnly(-1 - 2 - 2);
                assertThat(Tensors.rounds(workers.get(0), rounds)).hasToString("closed=4, late={}, skipped={0=2, 1=2}");
            }
        }
    }

    @Test
    void theNormOfARoundIsThatOfItsMean() {
        try (PsCluster cluster = PsCluster.embedded(2, 2)) {
            List<Worker> workers = cluster.workers();
            TensorSpec spec = TensorSpec.dense("w", 100)
                    .slices(5)
                    .updates(Updates.MEAN)
                    .optimizer(Optimizers.sgd(1).clipNorm(5));
            workers.forEach(worker -> Tensors.init(worker, spec));
            TensorId w = spec.tensor().id();
            for (int round = 1; round <= 10; round++) {
                var one = Tensors.push(workers.get(0), w, ones(100, 1));
                var two = Tensors.push(workers.get(1), w, ones(100, 3)); // their mean has a norm of 20
                one.await();
                two.await();
                assertThat(Tensors.pull(workers.get(0), w)).containsOnly(-0.5f * round);
            }
        }
    }

    @Test
    void aPullSeesTheClippedPushOfItsWorkerBeforeIt() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 64)
                            .slices(4)
                            .optimizer(Optimizers.sgd(1).clipNorm(8)));
            float[] seen = new float[64];
            for (int step = 1; step <= 50; step++) {
                var push = Tensors.push(worker, w, ones(64, 4)); // not awaited
                Tensors.pull(worker, w, seen).await();
                push.await();
                assertThat(seen).containsOnly(-step);
            }
        }
    }

    @Test
    void valuesAreClippedBeforeTheDecayIsAdded() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 10)
                            .initializer(Initializers.constant(10))
                            .optimizer(Optimizers.sgd(0.5).clipValue(1).weightDecay(0.2)));
            Tensors.push(worker, w, ones(10, -7)).await();
            assertThat(Tensors.pull(worker, w)).containsOnly(9.5f); // 10 - 0.5 (-1 + 0.2 x 10)
        }
    }

    @Test
    void aScheduleLowersTheRateAndGoesOnAfterACheckpoint(@TempDir Path folder) {
        Schedule schedule = Schedule.step(3, 0.5).warmUp(2);
        double[] factors = {0.5, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25};
        TensorSpec spec =
                TensorSpec.dense("w", 10).slices(3).optimizer(Optimizers.sgd(1).schedule(schedule));
        float[] expected = {0};
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            TensorId w = Tensors.init(cluster.worker(), spec);
            for (int step = 0; step < 4; step++) {
                Tensors.push(cluster.worker(), w, ones(10, 1)).await();
                expected[0] -= (float) factors[step];
            }
            Tensors.save(cluster.worker(), w, "half");
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(3).checkpoints(folder).start()) {
            TensorId w = Tensors.init(cluster.worker(), spec);
            Tensors.load(cluster.worker(), w, "half");
            for (int step = 4; step < factors.length; step++) {
                Tensors.push(cluster.worker(), w, ones(10, 1)).await();
                expected[0] -= (float) factors[step];
            }
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(expected[0]);
        }
    }

    @Test
    void aRateThatWasSetIsSavedWithTheTensor(@TempDir Path folder) {
        TensorSpec spec = TensorSpec.dense("w", 10).slices(3).optimizer(Optimizers.sgd(1));
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            TensorId w = Tensors.init(cluster.worker(), spec);
            Tensors.setLearningRate(cluster.worker(), w, 0.25);
            Tensors.push(cluster.worker(), w, ones(10, 1)).await();
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(-0.25f);
            Tensors.save(cluster.worker(), w, "set");
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(1).checkpoints(folder).start()) {
            TensorId w = Tensors.init(cluster.worker(), spec);
            Tensors.load(cluster.worker(), w, "set");
            Tensors.push(cluster.worker(), w, ones(10, 1)).await();
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(-0.5f);
            Tensors.setOptimizer(cluster.worker(), w, Optimizers.sgd(2));
            Tensors.push(cluster.worker(), w, ones(10, 1)).await();
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(-2.5f);
        }
    }

    @Test
    void anOptimizerIsReplacedWhileItsStateStays() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            Random random = new Random(3);
            TensorId one = Tensors.init(worker, TensorSpec.dense("one", 50).optimizer(Optimizers.adam(0.1)));
            TensorId two = Tensors.init(worker, TensorSpec.dense("two", 50).optimizer(Optimizers.adam(0.1)));
            for (int step = 0; step < 6; step++) {
                float[] g = gradient(random, 50);
                Tensors.push(worker, one, g).await();
                Tensors.push(worker, two, g).await();
                if (step == 2) { // AdamW without decay is Adam, with the same moments
                    Tensors.setOptimizer(worker, two, Optimizers.adamW(0.1, 0.9, 0.999, 1e-8, 0));
                }
            }
            assertThat(Tensors.pull(worker, two)).containsExactly(Tensors.pull(worker, one));
            Tensors.setOptimizer(worker, two, Optimizers.lamb(0.1));
            Tensors.push(worker, two, ones(50, 1)).await();
            assertThatThrownBy(() -> Tensors.setOptimizer(worker, two, Optimizers.of("acme.lino", Map.of("lr", 1))))
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith("BAD_REQUEST: optimizer: \"acme.lino\", which the class path does not have")
                    .hasMessageContaining("psf.adam");
            for (double rate : new double[] {Double.NaN, -0.1, Double.POSITIVE_INFINITY}) {
                assertThatThrownBy(() -> Tensors.setLearningRate(worker, two, rate))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("rate: " + rate + " (expected: >= 0)");
            }
        }
    }

    @Test
    void aRateThatTheFormulaDoesNotTakeIsRefusedWhenItIsSet() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10).optimizer(Optimizers.ftrl(0.1, 0, 0)));
            assertThatThrownBy(() -> Tensors.setLearningRate(worker, w, 0))
                    .hasMessageStartingWith("BAD_REQUEST: learning rate of psf.ftrl: 0.0, which it refuses: lr: 0.0");
            Tensors.setLearningRate(worker, w, 0.2);
            assertThatThrownBy(() -> Tensors.setLearningRate(worker, w, 0))
                    .hasMessageStartingWith("BAD_REQUEST: learning rate of psf.ftrl: 0.0");
            Tensors.push(worker, w, ones(10, 1)).await();
            assertThat(Tensors.pull(worker, w)).containsOnly(-0.1f); // at 0.2: -1 / ((1 + 1) / 0.2)
            assertThatThrownBy(() -> SetOptimizerPsf.stub(worker)
                            .call(
                                    w,
                                    worker.layout(w).slices(),
                                    "psf.ftrl",
                                    Optimizers.ftrl(0.1, 0, 0).arguments(),
                                    Options.NONE
                                            .withSchedule(Schedule.linear(5, 0))
                                            .texts())
                            .await())
                    .hasMessageStartingWith("BAD_REQUEST: learning rate of psf.ftrl with {schedule=linear")
                    .hasMessageContaining(": 0.0, which it refuses: lr: 0.0 (expected: > 0)");
            Tensors.push(worker, w, ones(10, 1)).await();
        }
    }

    @Test
    void anOptimizerWithoutARateIsNotGivenOne() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10).optimizer(Optimizers.add()));
            assertThatThrownBy(() -> Tensors.setLearningRate(worker, w, 1))
                    .hasMessageStartingWith(
                            "BAD_REQUEST: learning rate of psf.add: none (expected: an argument \"lr\")");
        }
    }

    /**
     * The servers are asked about a user's class, the scheduler about one of psf: a worker in another language may name
     * any.
     */
    @Test
    void aTensorWhoseRulesDoNotExistTakesNoName() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorSpec good = TensorSpec.dense("w", 10);
            assertThatThrownBy(() -> Tensors.init(
                            worker,
                            List.of(
                                    TensorSpec.dense("v", 10),
                                    good.optimizer(Optimizers.of("acme.lino", Map.of("lr", 1))))))
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith(
                            "BAD_REQUEST: optimizer: \"acme.lino\", which the class path does not have");
            assertThatThrownBy(() -> Tensors.init(worker, good.initializer(Initializers.of("acme.ones", Map.of()))))
                    .hasMessageStartingWith("BAD_REQUEST: initializer: \"acme.ones\", which the class path");
            assertThatThrownBy(() -> Tensors.init(worker, good.optimizer(Optimizers.of("psf.sdg", Map.of("lr", 1)))))
                    .hasMessageStartingWith("BAD_REQUEST: optimizer: \"psf.sdg\", which the class path does not have")
                    .hasMessageContaining("psf.sgd")
                    .hasMessageContaining("psf.tensor.declare");
            assertThatThrownBy(() -> worker.declare(new TensorDeclaration(
                            good.tensor(),
                            0,
                            "",
                            "host",
                            new Rule("psf.normal", Map.of("deviation", "much"), Map.of()),
                            new Rule("psf.add", Map.of(), Map.of()),
                            Rounds.NONE,
                            Map.of(),
                            "")))
                    .hasMessageStartingWith("BAD_REQUEST: ");
            for (String name : List.of("v", "w")) {
                assertThatThrownBy(() -> worker.layout(TensorId.of(name))).hasMessageStartingWith("UNKNOWN_TENSOR");
            }
            Tensors.init(worker, good);
        }
    }

    @Test
    void anInitialArrayIsSetOnceAndAnotherOneIsRefused() {
        try (PsCluster cluster = PsCluster.embedded(2, 2)) {
            float[] values = gradient(new Random(5), 30);
            TensorSpec spec = TensorSpec.dense("w", 10, 3).slices(4).initializer(Initializers.of(values));
            TensorId w = Tensors.init(cluster.workers().get(0), spec);
            Tensors.push(cluster.workers().get(0), w, ones(30, 1)).await();
            Tensors.init(cluster.workers().get(1), spec);
            float[] pulled = Tensors.pull(cluster.workers().get(1), w);
            IntStream.range(0, 30).forEach(i -> assertThat(pulled[i]).isEqualTo(values[i] + 1));
            assertThatThrownBy(() ->
                            Tensors.init(cluster.workers().get(1), spec.initializer(Initializers.of(ones(30, 1)))))
                    .hasMessageContaining("ALREADY_EXISTS");
            assertThatThrownBy(() -> TensorSpec.growing("g", 3).initializer(Initializers.of(values)))
                    .hasMessage("initial values of tensor \"g\": 30 (expected: a tensor that does not grow)");
        }
    }
}
