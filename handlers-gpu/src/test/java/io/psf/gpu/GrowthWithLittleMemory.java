package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Growing tables on a device that has memory for some of their rows. */
@ExtendWith(OnHostDriver.class)
class GrowthWithLittleMemory {
    private static final int BATCH = 3000;

    static Stream<Arguments> tables() {
        return Stream.of(
                Arguments.of(Optimizers.sgd(0.5), 1),
                Arguments.of(Optimizers.momentum(0.1, 0.9), 7),
                Arguments.of(Optimizers.adam(0.01), 32));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void theRowsThatExistAreRightWhenThereIsNoMemoryForMore(OptimizerSpec optimizer, int width) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PsCluster cluster =
                PsCluster.builder().servers(1).lanes(1).devices(0).start()) {
            Worker worker = cluster.worker();
            Pair pair = Pair.init(
                    worker,
                    TensorSpec.growing("t", width)
                            .slices(2)
                            .optimizer(optimizer)
                            .initializer(Initializers.uniform(-1, 1, 3)));
            int batch = BATCH * Math.max(1, 32 / width);
            Tensors.removeRows(worker, pair.device(), random.longs(batch).toArray())
                    .await(); // has its memory from now on
            long[] keys = {};
            PsException full = null;
            while (full == null) {
                long[] fresh = random.longs(batch).toArray();
                try {
                    push(worker, pair, fresh, width, random);
                    keys = LongStream.concat(Arrays.stream(keys), Arrays.stream(fresh))
                            .toArray();
                } catch (PsException e) {
                    full = e;
                }
            }
            assertThat(full.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED);
            assertThat(full).hasMessageContaining("memory of device 0").hasMessageContaining("expected: at most");
            assertThat(keys)
                    .as("rows before the device was full, seed %d", seed)
                    .hasSizeGreaterThan(batch);
            requireEqual(worker, pair, keys, batch, width);
            for (int round = 0; round < 2; round++) {
                long[] some =
                        random.ints(1000, 0, keys.length).mapToLong(at -> 0).toArray();
                for (int i = 0; i < some.length; i++) {
                    some[i] = keys[random.nextInt(keys.length)];
                }
                push(worker, pair, some, width, random);
                requireEqual(worker, pair, keys, batch, width);
                assertThatThrownBy(() ->
                                push(worker, pair, random.longs(20L * batch).toArray(), width, random))
                        .isInstanceOfSatisfying(
                                PsException.class,
                                e -> assertThat(e.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED));
                long[] removed = Arrays.copyOf(keys, batch);
                Tensors.removeRows(worker, pair.host(), removed).await();
                Tensors.removeRows(worker, pair.device(), removed).await();
                requireEqual(worker, pair, keys, batch, width);
            }
            pair.clear(worker);
            Pair other =
                    Pair.init(worker, TensorSpec.table("other", 1000, width).optimizer(optimizer));
            other.requireEqual(worker);
        }
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    /** Compares as many rows at once as a push has: the device may have no memory for more of them. */
    private static void requireEqual(Worker worker, Pair pair, long[] keys, int batch, int width) {
        for (int begin = 0; begin < keys.length; begin += batch) {
            pair.requireEqual(worker, Arrays.copyOfRange(keys, begin, Math.min(keys.length, begin + batch)), width);
        }
    }

    /** Pushes to the device first: the host gets what the device has taken. */
    private static void push(Worker worker, Pair pair, long[] keys, int width, Random random) {
        float[] update = new float[keys.length * width];
        for (int i = 0; i < update.length; i++) {
            update[i] = (float) random.nextGaussian();
        }
        Tensors.pushRows(worker, pair.device(), keys, update).await();
        Tensors.pushRows(worker, pair.host(), keys, update).await();
    }
}
