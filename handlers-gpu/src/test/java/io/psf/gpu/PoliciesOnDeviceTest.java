package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables with a policy on a device keep the rows that they keep on the host, also where many rows are equally old. */
@ExtendWith(OnDevice.class)
class PoliciesOnDeviceTest {
    static Stream<TablePolicy> policies() {
        return Stream.of(
                TablePolicy.keepAll().mostRows(1500),
                TablePolicy.keepAll().mostRows(1500).leastFrequentFirst(),
                TablePolicy.keepAll().expireAfterPushes(4),
                TablePolicy.keepAll().admitAfterAmong(2, 10_000).mostRows(900).leastFrequentFirst());
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theRowsAreThoseOfTheHost(TablePolicy policy) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int width = 3;
        try (PsCluster cluster = PsCluster.builder().servers(1).devices(0).start()) {
            Worker worker = cluster.worker();
            Pair pair = Pair.init(
                    worker,
                    TensorSpec.growing("t", width)
                            .slices(2)
                            .optimizer(Optimizers.adam(0.1))
                            .policy(policy));
            for (int push = 0; push < 40; push++) {
                long[] keys = random.longs(1 + random.nextInt(400), 0, 4000).toArray();
                float[] update = new float[keys.length * width];
                Arrays.fill(update, push + 1);
                Tensors.pushRows(worker, pair.host(), keys, update).await();
                Tensors.pushRows(worker, pair.device(), keys, update).await();
                assertThat(keys(worker, pair.device()))
                        .as("push %d, seed %d", push, seed)
                        .isEqualTo(keys(worker, pair.host()));
            }
            long[] all = random.longs(1000, 0, 4000).toArray();
            pair.requireEqual(worker, all, width);
        }
    }

    private static Set<Long> keys(Worker worker, TensorId table) {
        Set<Long> keys = new TreeSet<>();
        Tensors.keys(worker, table).forEach(page -> Arrays.stream(page).forEach(keys::add));
        return keys;
    }
}
