package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.driver.Device;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers with two devices each. */
@ExtendWith(OnHostDriver.class)
class TwoDevices {
    private static PsCluster cluster;
    private static Worker worker;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder().servers(2).lanes(2).devices(0, 1).start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    static Stream<OptimizerSpec> optimizers() {
        return Stream.of(
                Optimizers.sgd(0.5),
                Optimizers.adam(0.01),
                Optimizers.rowAdaGrad(0.1, 0.1, 1e-7).clipValue(0.7));
    }

    private float[] floats(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static long used(int device) {
        Device.of(device).use();
        return Device.of(device).memory() - Device.of(device).free();
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void pushesAndPullsOfSlicesOnBothAreRight(OptimizerSpec optimizer) throws IOException {
        int rows = 4001;
        int width = 5;
        for (boolean grows : new boolean[] {false, true}) {
            TensorSpec spec = grows ? TensorSpec.growing("t", width) : TensorSpec.table("t", rows, width);
            Pair pair = Pair.init(
                    worker,
                    spec.slices(8).optimizer(optimizer).initializer(Initializers.uniform(-1, 1, random.nextLong())));
            for (int step = 0; step < 6; step++) {
                long[] keys = random.longs(1000, 0, rows).toArray();
                float[] some = floats(keys.length * width);
                for (TensorId tensor : new TensorId[] {pair.host(), pair.device()}) {
                    Tensors.pushRows(worker, tensor, keys, some).await();
                }
                pair.requireEqual(worker, random.longs(500, 0, rows).toArray(), width);
                if (!grows) {
                    float[] all = floats(rows * width);
                    for (TensorId tensor : new TensorId[] {pair.host(), pair.device()}) {
                        Tensors.push(worker, tensor, all).await();
                    }
                    pair.requireEqual(worker);
                }
            }
            pair.clear(worker);
        }
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    @Test
    void slicesAreDistributedOverBoth() { // 48 MB each; other tests hold, keep for reuse or still free 20 MB at most
        long first = used(0);
        long second = used(1);
        TensorId tensor = Tensors.init(
                worker, TensorSpec.table("large", 24_000_000, 1).slices(8).device());
        assertThat(used(0) - first).isGreaterThanOrEqualTo(24_000_000);
        assertThat(used(1) - second).isGreaterThanOrEqualTo(24_000_000);
        Tensors.clear(worker, tensor);
    }

    /**
     * A server as {@code psf server --device 0,1} starts it. Tables with a policy have marks on the device of each
     * slice.
     */
    @Test
    @SuppressWarnings("try") // the server is there, and is closed
    void aServerOfSettingsHasTablesOnBoth() {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).listen("127.0.0.1", 0))) {
            Map<String, String> settings =
                    Map.of("PSF_SCHEDULER", "127.0.0.1:" + scheduler.port(), "PSF_DEVICE", "0,1");
            CompletableFuture<Worker> joining = CompletableFuture.supplyAsync(
                    () -> Worker.connect(Settings.of(settings).worker()));
            try (Server server = Server.start(Settings.of(settings).server());
                    Worker joined = joining.join()) {
                long first = used(0);
                long second = used(1);
                Pair pair = Pair.init(
                        joined,
                        TensorSpec.growing("t", 3)
                                .slices(4)
                                .optimizer(Optimizers.adam(0.1))
                                .policy(TablePolicy.keepAll().mostRows(2000)));
                TensorId large = Tensors.init(
                        joined,
                        TensorSpec.table("large", 24_000_000, 1).slices(4).device());
                assertThat(used(0) - first).isGreaterThanOrEqualTo(48_000_000);
                assertThat(used(1) - second).isGreaterThanOrEqualTo(48_000_000);
                for (int push = 0; push < 10; push++) {
                    long[] keys = random.longs(600, 0, 10_000).distinct().toArray();
                    float[] update = floats(3 * keys.length);
                    Tensors.pushRows(joined, pair.host(), keys, update).await();
                    Tensors.pushRows(joined, pair.device(), keys, update).await();
                    pair.requireEqual(joined, random.longs(2000, 0, 10_000).toArray(), 3);
                }
                Tensors.clear(joined, large);
                pair.clear(joined);
            }
        }
    }

    @Test
    void aPlacementNamesOneOfThem() {
        long first = used(0);
        TensorId tensor = Tensors.init(
                worker, TensorSpec.table("second", 4_000_000, 1).slices(4).placement("device:1"));
        assertThat(used(1)).isGreaterThanOrEqualTo(16_000_000);
        assertThat(used(0) - first).isLessThan(16_000_000);
        Tensors.clear(worker, tensor);
    }
}
