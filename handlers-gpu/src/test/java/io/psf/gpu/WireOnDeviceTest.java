package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests and answers in each format of the wire, which kernels convert: the bits are those of a tensor on the host.
 */
@ExtendWith(OnDevice.class)
class WireOnDeviceTest {
    private static PsCluster cluster;
    private static Worker worker;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder().servers(1).lanes(2).devices(0).start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    static Stream<Arguments> shapes() {
        return Stream.of(FloatType.FLOAT16, FloatType.BFLOAT16, FloatType.INT8)
                .flatMap(wire -> Stream.of(FloatType.FLOAT32, FloatType.FLOAT16)
                        .flatMap(storage -> Stream.of(1, 3, 8, 64).map(width -> Arguments.of(wire, storage, width))));
    }

    private float[] values(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = switch (random.nextInt(40)) {
                case 0 -> Float.NaN;
                case 1 -> Float.POSITIVE_INFINITY;
                case 2 -> Float.NEGATIVE_INFINITY;
                case 3 -> Float.intBitsToFloat(random.nextInt(1 << 23));
                case 4 -> -0f;
                default -> (float) (random.nextGaussian() * Math.pow(10, random.nextInt(12) - 8));
            };
        }
        return values;
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    private void requireSame(float[] onDevice, float[] onHost) {
        assertThat(bits(onDevice)).as("seed %s", seed).isEqualTo(bits(onHost));
    }

    private float[] rows(TensorId tensor, long[] keys, int width) {
        float[] values = new float[keys.length * width];
        Tensors.pullRows(worker, tensor, keys, values).await();
        return values;
    }

    @ParameterizedTest(name = "{0}, stored as {1}, {2} wide")
    @MethodSource("shapes")
    @Tag("every-kernel")
    void theBitsAreThoseOfTheHost(FloatType wire, FloatType storage, int width) {
        int rows = 700;
        for (TensorSpec shape : new TensorSpec[] {TensorSpec.table("t", rows, width), TensorSpec.growing("t", width)}) {
            Pair pair = Pair.init(
                    worker,
                    shape.slices(2)
                            .optimizer(Optimizers.assign())
                            .initializer(Initializers.uniform(-1, 1, 5))
                            .storage(storage)
                            .wire(wire));
            for (int n : new int[] {1, 5, 300}) {
                long[] keys = random.longs(n, 0, rows).distinct().toArray();
                float[] update = values(keys.length * width);
                Tensors.pushRows(worker, pair.host(), keys, update).await();
                Tensors.pushRows(worker, pair.device(), keys, update).await();
                long[] all = LongStream.range(0, rows).toArray(); // some have no row yet
                requireSame(rows(pair.device(), all, width), rows(pair.host(), all, width));
                float[] pulledOfHost = new float[keys.length * width];
                float[] pulled = new float[keys.length * width];
                Tensors.pushPullRows(worker, pair.host(), keys, update, keys, pulledOfHost)
                        .await();
                Tensors.pushPullRows(worker, pair.device(), keys, update, keys, pulled)
                        .await();
                requireSame(pulled, pulledOfHost);
            }
            if (!shape.tensor().grows()) {
                float[] dense = values(rows * width);
                Tensors.push(worker, pair.host(), dense).await();
                Tensors.push(worker, pair.device(), dense).await();
                requireSame(Tensors.pull(worker, pair.device()), Tensors.pull(worker, pair.host()));
            }
            pair.clear(worker);
        }
    }

    /** Several pieces of a million values. */
    @ParameterizedTest
    @EnumSource(FloatType.class)
    void longRequestsAndAnswersAreThoseOfTheHost(FloatType wire) {
        for (int width : new int[] {3, 64}) {
            int rows = 2_300_000 / width;
            Pair pair = Pair.init(
                    worker,
                    TensorSpec.table("long", rows, width)
                            .slices(1)
                            .optimizer(Optimizers.sgd(0.5))
                            .wire(wire));
            float[] update = values(rows * width);
            Tensors.push(worker, pair.host(), update).await();
            Tensors.push(worker, pair.device(), update).await();
            requireSame(Tensors.pull(worker, pair.device()), Tensors.pull(worker, pair.host()));
            long[] keys = LongStream.range(0, rows).toArray();
            Tensors.pushRows(worker, pair.host(), keys, update).await();
            Tensors.pushRows(worker, pair.device(), keys, update).await();
            requireSame(rows(pair.device(), keys, width), rows(pair.host(), keys, width));
            pair.clear(worker);
        }
    }

    @ParameterizedTest
    @EnumSource(FloatType.class)
    void roundsAndCachesAreThoseOfTheHost(FloatType wire) {
        int width = 8;
        TensorSpec spec = TensorSpec.growing("c", width)
                .optimizer(Optimizers.adam(0.1))
                .initializer(Initializers.normal(0, 1, 3))
                .wire(wire);
        Pair rounds = Pair.init(worker, spec.named("r").updates(Updates.SUM));
        try (EmbeddingCache host = EmbeddingCache.of(worker, spec.named("h").placement("host"))
                        .rows(100)
                        .open();
                EmbeddingCache device = EmbeddingCache.of(
                                worker, spec.named("d").device())
                        .rows(100)
                        .open()) {
            for (int step = 0; step < 5; step++) {
                long[] keys = random.longs(150, 0, 400).distinct().toArray();
                float[] update = new float[keys.length * width];
                for (int i = 0; i < update.length; i++) {
                    update[i] = (float) random.nextGaussian();
                }
                Tensors.pushRows(worker, rounds.host(), keys, update).await();
                Tensors.pushRows(worker, rounds.device(), keys, update).await();
                rounds.requireEqual(worker, keys, width);
                host.update(keys, update);
                device.update(keys, update);
                float[] ofHost = new float[update.length];
                float[] ofDevice = new float[update.length];
                host.lookUp(keys, ofHost);
                device.lookUp(keys, ofDevice);
                assertThat(ofDevice).as("seed %s", seed).isEqualTo(ofHost);
            }
        }
        rounds.clear(worker);
        Tensors.clear(worker, TensorId.of("h"));
        Tensors.clear(worker, TensorId.of("d"));
    }
}
