package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.cache.PushSyncEmbedding;
import io.psf.builtin.cache.PushSyncEmbeddingPsf;
import io.psf.builtin.cache.SyncEmbedding;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.builtin.optimizer.Schedule;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of the builtin functions on a device, with the host as the oracle: fresh random requests to the same
 * tensor in both memories. Two servers, which share the device. Outputs are poisoned before.
 */
@ExtendWith(OnDevice.class)
class FunctionsOnDeviceTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    @TempDir
    static Path checkpoints;

    private static PsCluster cluster;
    private static Worker worker;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .lanes(2)
                .devices(0)
                .checkpoints(checkpoints)
                .tcp()
                .start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static String name() {
        return "t" + NAMES.incrementAndGet();
    }

    private float[] floats(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private long[] keys(int n, long bound) {
        return random.longs(n, 0, bound).toArray();
    }

    static Stream<Initializer> initializers() {
        return Stream.of(
                Initializers.constant(0),
                Initializers.constant(-1.5),
                Initializers.uniform(-0.3, 0.7, 11),
                Initializers.normal(0.1, 2, 12),
                Initializers.truncatedNormal(-1, 0.01, 13));
    }

    static Stream<Arguments> optimizersAndWidths() {
        return Stream.of(1, 3, 4, 64).flatMap(width -> optimizers().map(each -> Arguments.of(each, width)));
    }

    static Stream<OptimizerSpec> optimizers() {
        return Stream.of(
                Optimizers.add(0.5),
                Optimizers.assign(),
                Optimizers.sgd(0.1),
                Optimizers.momentum(0.1, 0.9),
                Optimizers.nesterov(0.1, 0.9),
                Optimizers.adaGrad(0.1, 0.1, 1e-7),
                Optimizers.rowAdaGrad(0.1, 0.1, 1e-7),
                Optimizers.rowAdaGrad(0.1, 0.1, 1e-7).clipValue(0.7).weightDecay(0.1),
                Optimizers.adam(0.01),
                Optimizers.rmsProp(0.01, 0.9, 1e-7),
                Optimizers.adaDelta(1, 0.95, 1e-6),
                Optimizers.adamW(0.01, 0.9, 0.999, 1e-8, 0.1),
                Optimizers.ftrl(0.1, 1, 0.5, 0.1),
                Optimizers.lazyAdam(0.01).schedule(Schedule.cosine(10, 0.1).warmUp(2)),
                Optimizers.sgd(0.1).clipValue(0.7).weightDecay(0.1),
                Optimizers.adam(0.01).clipValue(0.7).weightDecay(0.1).schedule(Schedule.linear(8, 0)));
    }

    static Stream<Arguments> summingOptimizersAndWidths() {
        return Stream.of(1, 3, 64)
                .flatMap(width -> Stream.of(
                                Optimizers.lamb(0.01, 0.9, 0.999, 1e-6, 0.1),
                                Optimizers.lamb(0.01, 0.9, 0.999, 1e-6, 0.1)
                                        .clipValue(0.7)
                                        .clipNorm(1),
                                Optimizers.sgd(0.1).clipNorm(1).weightDecay(0.1))
                        .map(each -> Arguments.of(each, width)));
    }

    /** A device adds up in another order: rates, which depend on sums, may differ in their last bits. */
    @ParameterizedTest
    @MethodSource("summingOptimizersAndWidths")
    @Tag("every-kernel")
    void pushesWhoseStepsNeedSumsOverAllSlices(OptimizerSpec optimizer, int width) {
        int rows = 1 + random.nextInt(5000);
        Pair pair = Pair.init(
                worker,
                TensorSpec.table(name(), rows, width)
                        .optimizer(optimizer)
                        .initializer(Initializers.uniform(-1, 1, random.nextLong())));
        for (int step = 0; step < 4; step++) {
            float[] update = floats(rows * width);
            Tensors.push(worker, pair.host(), update).await();
            Tensors.push(worker, pair.device(), update).await();
            long[] keys = keys(1 + random.nextInt(1000), rows); // with duplicates
            float[] some = floats(keys.length * width);
            Tensors.pushRows(worker, pair.host(), keys, some).await();
            Tensors.pushRows(worker, pair.device(), keys, some).await();
            float[] host = Tensors.pull(worker, pair.host());
            float[] device = Tensors.pull(worker, pair.device());
            for (int i = 0; i < host.length; i++) {
                assertThat(device[i])
                        .as("element " + i + ", seed " + seed)
                        .isCloseTo(host[i], within(1e-6f * Math.max(1, Math.abs(host[i]))));
            }
        }
        pair.clear(worker);
    }

    @Test
    void aRateThatIsSetWhileTheTensorIsTrained() {
        Pair pair = Pair.init(worker, TensorSpec.table(name(), 100, 3).optimizer(Optimizers.adam(0.01)));
        for (int step = 0; step < 3; step++) {
            float[] update = floats(300);
            for (TensorId tensor : List.of(pair.host(), pair.device())) {
                Tensors.push(worker, tensor, update).await();
                Tensors.setLearningRate(worker, tensor, 0.1 / (step + 1));
                Tensors.push(worker, tensor, update).await();
            }
            pair.requireEqual(worker);
            OptimizerSpec other = step == 0 ? Optimizers.lazyAdam(0.02) : Optimizers.adamW(0.02, 0.9, 0.99, 1e-8, 0.1);
            for (TensorId tensor : List.of(pair.host(), pair.device())) {
                Tensors.setOptimizer(worker, tensor, other);
                Tensors.push(worker, tensor, update).await();
            }
            pair.requireEqual(worker);
        }
        pair.clear(worker);
    }

    /** Compares within one unit in the last place: a device has logarithms of its own. */
    private static void requireClose(float[] actual, float[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < actual.length; i++) {
            assertThat(Math.abs(actual[i] - expected[i])).as("element " + i).isLessThanOrEqualTo(Math.ulp(expected[i]));
        }
    }

    @ParameterizedTest
    @MethodSource("initializers")
    @Tag("every-kernel")
    void initialValues(Initializer initializer) {
        Pair dense = Pair.init(worker, TensorSpec.table(name(), 10_007, 7).initializer(initializer));
        requireClose(Tensors.pull(worker, dense.device()), Tensors.pull(worker, dense.host()));
        dense.clear(worker);
        for (int width : new int[] {3, 64}) {
            Pair growing = Pair.init(worker, TensorSpec.growing(name(), width).initializer(initializer));
            long[] keys = random.longs(5000).toArray();
            keys[0] = 0;
            keys[1] = -1;
            keys[2] = Long.MIN_VALUE;
            keys[3] = Long.MAX_VALUE;
            for (int round = 0; round < 2; round++) { // without rows, then with them
                float[] host = new float[keys.length * width];
                float[] device = new float[host.length];
                Tensors.pullRows(worker, growing.host(), keys, host).await();
                Tensors.pullRows(worker, growing.device(), keys, device).await();
                requireClose(device, host);
                float[] nothing = new float[host.length];
                Tensors.pushRows(worker, growing.host(), keys, nothing).await();
                Tensors.pushRows(worker, growing.device(), keys, nothing).await();
            }
            growing.clear(worker);
        }
    }

    @ParameterizedTest
    @MethodSource("optimizersAndWidths")
    @Tag("every-kernel")
    void densePushesAndPulls(OptimizerSpec optimizer, int width) {
        int rows = 1 + random.nextInt(20_000);
        Pair pair = Pair.init(worker, TensorSpec.table(name(), rows, width).optimizer(optimizer));
        for (int step = 0; step < 5; step++) {
            float[] update = floats(rows * width);
            Tensors.push(worker, pair.host(), update).await();
            Tensors.push(worker, pair.device(), update).await();
            pair.requireEqual(worker);
            float[] host = new float[update.length];
            float[] device = new float[update.length];
            Arrays.fill(device, Float.NaN);
            Tensors.pushPull(worker, pair.host(), update, host).await();
            Tensors.pushPull(worker, pair.device(), update, device).await();
            assertThat(device).as("seed " + seed).isEqualTo(host);
        }
        pair.clear(worker);
    }

    @Test
    void longUpdatesInPieces() {
        int rows = 3_000_001;
        for (OptimizerSpec optimizer : List.of(Optimizers.adam(0.01), Optimizers.add())) {
            Pair pair = Pair.init(worker, TensorSpec.table(name(), rows, 3).optimizer(optimizer));
            float[] update = floats(rows * 3);
            for (int step = 0; step < 2; step++) {
                Tensors.push(worker, pair.host(), update).await();
                Tensors.push(worker, pair.device(), update).await();
            }
            pair.requireEqual(worker);
            long[] keys = keys(1_500_000, rows);
            pair.requireEqual(worker, keys, 3);
            float[] some = floats(keys.length * 3);
            Tensors.pushRows(worker, pair.host(), keys, some).await();
            Tensors.pushRows(worker, pair.device(), keys, some).await();
            pair.requireEqual(worker);
            pair.clear(worker);
        }
    }

    @ParameterizedTest
    @MethodSource("optimizersAndWidths")
    @Tag("every-kernel")
    void sparsePushesAndPulls(OptimizerSpec optimizer, int width) {
        for (boolean grows : new boolean[] {false, true}) {
            int rows = 5000;
            TensorSpec spec = grows ? TensorSpec.growing(name(), width) : TensorSpec.table(name(), rows, width);
            Pair pair = Pair.init(
                    worker, spec.optimizer(optimizer).initializer(Initializers.uniform(-1, 1, random.nextLong())));
            for (int step = 0; step < 5; step++) {
                long[] keys = keys(1 + random.nextInt(4000), rows); // with duplicates
                float[] update = floats(keys.length * width);
                Tensors.pushRows(worker, pair.host(), keys, update).await();
                Tensors.pushRows(worker, pair.device(), keys, update).await();
                pair.requireEqual(worker, keys(3000, rows), width);
                long[] pulled = keys(100, rows);
                float[] host = new float[pulled.length * width];
                float[] device = new float[host.length];
                Tensors.pushPullRows(worker, pair.host(), keys, update, pulled, host)
                        .await();
                Tensors.pushPullRows(worker, pair.device(), keys, update, pulled, device)
                        .await();
                assertThat(device).as("seed " + seed).isEqualTo(host);
            }
            if (!grows) {
                pair.requireEqual(worker);
                float[] host = new float[rows * width];
                float[] device = new float[rows * width];
                long[] keys = keys(10, rows);
                float[] update = floats(keys.length * width);
                Tensors.pushRowsPull(worker, pair.host(), keys, update, host).await();
                Tensors.pushRowsPull(worker, pair.device(), keys, update, device)
                        .await();
                assertThat(device).isEqualTo(host);
            }
            pair.clear(worker);
        }
    }

    @Test
    @Tag("every-kernel")
    void aTableThatGrowsAndShrinks() {
        int width = 8;
        Pair pair = Pair.init(
                worker,
                TensorSpec.growing(name(), width)
                        .optimizer(Optimizers.adam(0.01))
                        .initializer(Initializers.normal(0, 1, 5)));
        float[] unused = {};
        for (int step = 0; step < 30; step++) {
            long[] keys = keys(1 + random.nextInt(20_000), 60_000);
            float[] update = floats(keys.length * width);
            Tensors.pushRows(worker, pair.host(), keys, update).await();
            Tensors.pushRows(worker, pair.device(), keys, update).await();
            long[] removed = keys(random.nextInt(10_000), 60_000);
            assertThat(Tensors.removeRows(worker, pair.device(), removed)
                            .await()
                            .removed())
                    .isEqualTo(Tensors.removeRows(worker, pair.host(), removed)
                            .await()
                            .removed());
            long[] asked = keys(5000, 70_000);
            byte[] host = new byte[asked.length];
            byte[] device = new byte[asked.length];
            Tensors.findRows(worker, pair.host(), asked, host).await();
            Tensors.findRows(worker, pair.device(), asked, device).await();
            assertThat(device).as("seed " + seed).isEqualTo(host);
            assertThat(sorted(pair.device())).isEqualTo(sorted(pair.host()));
        }
        pair.requireEqual(worker, keys(60_000, 70_000), width);
        assertThat(unused).isEmpty();
        pair.clear(worker);
    }

    private static List<Long> sorted(TensorId tensor) {
        return java.util.stream.StreamSupport.stream(
                        Tensors.keys(worker, tensor).spliterator(), false)
                .flatMapToLong(Arrays::stream)
                .sorted()
                .boxed()
                .toList();
    }

    @Test
    void roundsOfTwoWorkers() {
        for (Updates updates : new Updates[] {Updates.SUM, Updates.MEAN}) {
            int rows = 1000;
            int width = 5;
            Pair pair = Pair.init(
                    worker,
                    TensorSpec.table(name(), rows, width)
                            .optimizer(Optimizers.momentum(0.1, 0.9))
                            .updates(updates));
            Worker other = cluster.worker(1);
            for (int step = 0; step < 4; step++) {
                float[] one = floats(rows * width);
                float[] two = floats(rows * width);
                long[] keys = keys(300, rows);
                float[] some = floats(keys.length * width);
                for (TensorId tensor : List.of(pair.host(), pair.device())) {
                    var first = Tensors.push(worker, tensor, one);
                    Tensors.push(other, tensor, two).await();
                    first.await();
                    var sparse = Tensors.pushRows(worker, tensor, keys, some);
                    Tensors.push(other, tensor, two).await(); // a round of a sparse and a dense push
                    sparse.await();
                }
                pair.requireEqual(worker);
            }
            pair.clear(worker);
        }
    }

    @Test
    void theCachesFunctions() {
        int rows = 3000;
        int width = 16;
        for (TensorSpec spec : List.of(TensorSpec.table(name(), rows, width), TensorSpec.growing(name(), width))) {
            Pair pair = Pair.init(worker, spec.optimizer(Optimizers.sgd(0.5)));
            for (int step = 0; step < 5; step++) {
                LongArray keys = LongArray.wrap(keys(500, rows));
                FloatArray gradients = FloatArray.wrap(floats(500 * width));
                int[] counts = random.ints(500, 0, 3).toArray();
                IntArray updates = IntArray.wrap(counts);
                LongArray asked = LongArray.wrap(keys(800, rows));
                LongArray versions = LongArray.wrap(random.longs(800, -1, 4).toArray());
                for (TensorId tensor : List.of(pair.host(), pair.device())) {
                    PushEmbeddingPsf.stub(worker)
                            .call(tensor, keys, gradients, updates)
                            .await();
                }
                SyncEmbedding.Response host = SyncEmbeddingPsf.stub(worker)
                        .call(pair.host(), asked, versions, 1)
                        .await();
                SyncEmbedding.Response device = SyncEmbeddingPsf.stub(worker)
                        .call(pair.device(), asked, versions, 1)
                        .await();
                assertThat(byKey(device.keys(), device.versions(), device.values(), width))
                        .isEqualTo(byKey(host.keys(), host.versions(), host.values(), width));
                PushSyncEmbedding.Response both = PushSyncEmbeddingPsf.stub(worker)
                        .call(pair.host(), keys, gradients, updates, asked, versions, 0)
                        .await();
                PushSyncEmbedding.Response bothOnDevice = PushSyncEmbeddingPsf.stub(worker)
                        .call(pair.device(), keys, gradients, updates, asked, versions, 0)
                        .await();
                assertThat(byKey(bothOnDevice.keys(), bothOnDevice.versions(), bothOnDevice.values(), width))
                        .isEqualTo(byKey(both.keys(), both.versions(), both.values(), width));
            }
            pair.clear(worker);
        }
    }

    private static Map<Long, String> byKey(LongArray keys, LongArray versions, FloatArray values, int width) {
        Map<Long, String> rows = new TreeMap<>();
        for (int i = 0; i < keys.length(); i++) {
            rows.put(
                    keys.get(i),
                    versions.get(i) + " "
                            + Arrays.toString(
                                    values.slice(i * width, (i + 1) * width).toArray()));
        }
        return rows;
    }

    @Test
    @Tag("every-kernel")
    void savedInOneMemoryAndLoadedInTheOther() {
        SavedAndLoaded.check(worker, List.of("host", "device"), FloatType.FLOAT32, random);
    }

    private static float[] rows(TensorId tensor, long[] keys, int width) {
        float[] values = new float[keys.length * width];
        Tensors.pullRows(worker, tensor, keys, values).await();
        return values;
    }

    @Test
    void anUpdateOfAWrongLengthChangesNothing() {
        Pair pair = Pair.init(worker, TensorSpec.table(name(), 100, 4));
        assertThatThrownBy(
                        () -> Tensors.push(worker, pair.device(), new float[7]).await())
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> Tensors.pushRows(worker, pair.device(), new long[] {1, 100}, new float[8])
                        .await())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("100");
        pair.requireEqual(worker);
        pair.clear(worker);
    }

    @Test
    void tooLittleMemoryIsAnErrorAndTheServerGoesOn() {
        long rows = 1L << 28; // 2 slices of 512 MB each; with enough of them any device is full
        TensorSpec spec = TensorSpec.table("large", rows, 1).device().slices(2);
        int made = 0;
        PsException full = null;
        while (full == null) {
            try {
                Tensors.init(worker, named(spec, "large" + made));
                made++;
            } catch (PsException e) {
                full = e;
            }
        }
        assertThat(full.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED);
        assertThat(full).hasMessageContaining("memory of device 0").hasMessageContaining("expected: at most");
        TensorId elsewhere = Tensors.init(worker, named(spec.deviceOrHost(), "elsewhere")); // some slices on the host
        long[] keys = {0, rows / 2, rows - 1};
        Tensors.pushRows(worker, elsewhere, keys, new float[] {1, 2, 3}).await();
        assertThat(rows(elsewhere, keys, 1)).containsExactly(1, 2, 3);
        Tensors.clear(worker, elsewhere);
        for (int i = 0; i <= made; i++) {
            Tensors.clear(worker, TensorId.of("large" + i));
        }
        Pair pair = Pair.init(worker, TensorSpec.table(name(), 100, 4));
        pair.requireEqual(worker);
        pair.clear(worker);
    }

    private static TensorSpec named(TensorSpec spec, String name) {
        return TensorSpec.table(name, spec.tensor().rows(), spec.tensor().width())
                .placement(spec.placement())
                .slices(spec.slices());
    }
}
