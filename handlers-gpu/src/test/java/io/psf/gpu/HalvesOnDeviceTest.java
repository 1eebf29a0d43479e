package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.array.FloatType;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of 16 bits on a device equal those of the host to the bit, stored and sent in each format. */
@ExtendWith(OnDevice.class)
class HalvesOnDeviceTest {
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
                .devices(0)
                .checkpoints(checkpoints)
                .start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    static Stream<Arguments> formats() {
        return FunctionsOnDeviceTest.optimizers()
                .flatMap(optimizer -> Stream.of(1, 3, 8)
                        .flatMap(width -> Stream.of(FloatType.FLOAT16, FloatType.BFLOAT16)
                                .map(type -> Arguments.of(optimizer, width, type))));
    }

    private float[] floats(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) (random.nextGaussian() * Math.pow(10, random.nextInt(8) - 6));
        }
        return values;
    }

    private FloatType anyWire() {
        return FloatType.values()[random.nextInt(FloatType.values().length)];
    }

    @ParameterizedTest
    @MethodSource("formats")
    void theValuesAreThoseOfTheHost(OptimizerSpec optimizer, int width, FloatType type) {
        int rows = 500;
        for (TensorSpec shape : new TensorSpec[] {
            TensorSpec.table("t" + NAMES.incrementAndGet(), rows, width),
            TensorSpec.growing("t" + NAMES.incrementAndGet(), width)
        }) {
            Pair pair = Pair.init(
                    worker,
                    shape.optimizer(optimizer)
                            .initializer(Initializers.uniform(-1, 1, 5))
                            .storage(type)
                            .wire(anyWire()));
            long[] all = LongStream.range(0, rows).toArray();
            for (int step = 0; step < 4; step++) {
                long[] keys = random.longs(1 + random.nextInt(300), 0, rows)
                        .distinct()
                        .toArray();
                float[] update = floats(keys.length * width);
                Tensors.pushRows(worker, pair.host(), keys, update).await();
                Tensors.pushRows(worker, pair.device(), keys, update).await();
                pair.requireEqual(worker, all, width); // rows without a push as well
                if (shape.tensor().grows()) {
                    long[] removed = random.longs(50, 0, rows).toArray();
                    Tensors.removeRows(worker, pair.host(), removed).await();
                    Tensors.removeRows(worker, pair.device(), removed).await();
                } else {
                    float[] dense = floats(rows * width);
                    Tensors.push(worker, pair.host(), dense).await();
                    Tensors.push(worker, pair.device(), dense).await();
                    pair.requireEqual(worker);
                }
                pair.requireEqual(worker, all, width);
            }
            pair.clear(worker);
        }
    }

    @Test
    void aTensorIsSavedOnOneMemoryAndLoadedOnTheOther() {
        SavedAndLoaded.check(worker, List.of("host", "device"), FloatType.BFLOAT16, random);
    }

    @Test
    void roundingAtRandomIsRefused() {
        TensorSpec spec =
                TensorSpec.table("random", 10, 2).storage(FloatType.BFLOAT16).stochasticRounding();
        assertThatThrownBy(() -> Tensors.init(worker, spec.device()))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("rounding of tensor \"random\" at device")
                .hasMessageContaining("STOCHASTIC (expected: to the nearest");
    }
}
