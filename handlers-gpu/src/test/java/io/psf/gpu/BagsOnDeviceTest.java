package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.Pooling;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sums of rows that a device adds equal those of the host to the bit. */
@ExtendWith(OnDevice.class)
class BagsOnDeviceTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final int ROWS = 3000;

    private static PsCluster cluster;
    private static Worker worker;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder().servers(2).devices(0).tcp().start();
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

    private long[] keys(int n, long bound) {
        return random.longs(n, 0, bound).toArray();
    }

    static Stream<Arguments> tables() {
        return Stream.of(FloatType.FLOAT32, FloatType.FLOAT16, FloatType.BFLOAT16)
                .flatMap(storage -> Stream.of(1, 3, 4, 64)
                        .flatMap(width -> Stream.of(TensorSpec.table("t", ROWS, width), TensorSpec.growing("t", width))
                                .map(spec -> Arguments.of(storage, spec))));
    }

    @ParameterizedTest
    @MethodSource("tables")
    @Tag("every-kernel")
    void sumsAndMeansAreThoseOfTheHost(FloatType storage, TensorSpec shape) {
        int width = shape.tensor().width();
        for (Initializer initial :
                new Initializer[] {Initializers.uniform(-1, 1, random.nextLong()), Initializers.of(new Ramp(0.1))}) {
            for (FloatType wire : FloatType.values()) {
                Pair pair = Pair.init(
                        worker,
                        shape.named(name())
                                .initializer(initial)
                                .storage(storage)
                                .wire(wire));
                long[] there = keys(2000, ROWS); // some keys of a growing table have no row
                float[] update = new float[there.length * width];
                for (int i = 0; i < update.length; i++) {
                    update[i] = (float) random.nextGaussian();
                }
                for (TensorId tensor : new TensorId[] {pair.host(), pair.device()}) {
                    Tensors.pushRows(worker, tensor, there, update).await();
                }
                pair.requireEqual(worker, keys(100, ROWS), width);
                for (Pooling pooling : Pooling.values()) {
                    requireEqual(pair, random.ints(500, 0, 20).toArray(), pooling, width);
                    requireEqual(pair, new int[] {0, 1, 0}, pooling, width);
                    requireEqual(pair, new int[] {5000}, pooling, width);
                }
                pair.clear(worker);
            }
        }
    }

    private void requireEqual(Pair pair, int[] counts, Pooling pooling, int width) {
        long[] keys = keys(Arrays.stream(counts).sum(), ROWS);
        float[] host = new float[counts.length * width];
        float[] device = new float[host.length];
        Arrays.fill(device, Float.NaN);
        Tensors.pullBags(worker, pair.host(), keys, counts, pooling, host).await();
        Tensors.pullBags(worker, pair.device(), keys, counts, pooling, device).await();
        assertThat(device).as("seed %s", seed).isEqualTo(host);
    }

    @Test
    void manyBagsLeaveTheDeviceInPieces() {
        for (int width : new int[] {64, 63}) {
            for (FloatType wire : new FloatType[] {FloatType.FLOAT32, FloatType.BFLOAT16}) {
                Pair pair = Pair.init(
                        worker,
                        TensorSpec.table(name(), ROWS, width)
                                .initializer(Initializers.uniform(-1, 1, random.nextLong()))
                                .wire(wire));
                requireEqual(pair, random.ints(40_000, 1, 4).toArray(), Pooling.SUM, width);
                pair.clear(worker);
            }
        }
    }
}
