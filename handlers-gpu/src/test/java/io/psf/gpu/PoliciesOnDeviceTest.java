package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TableCounts;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables with a policy on a device keep the rows that they keep on the host, also where many rows are equally old. */
@ExtendWith(OnDevice.class)
class PoliciesOnDeviceTest {
    private static final int WIDTH = 3;
    private static final int BOUND = 4000;

    static Stream<TablePolicy> policies() {
        TablePolicy all = TablePolicy.keepAll();
        return Stream.of(
                all.mostRows(1500),
                all.mostRows(1500).leastFrequentFirst(),
                all.mostBytes(150_000),
                all.mostBytes(150_000).leastFrequentFirst(),
                all.expireAfterPushes(4),
                all.expireAfterPushes(20).mostRows(1000).leastFrequentFirst(),
                all.mostRows(60), // pushes have more keys than half of it
                all.admitAfterAmong(2, 10_000).mostRows(900).leastFrequentFirst(),
                all.admitAfterAmong(3, 10_000).expireAfterPushes(6));
    }

    private static TensorSpec spec(TablePolicy policy) {
        return TensorSpec.growing("t", WIDTH)
                .slices(2)
                .optimizer(Optimizers.adam(0.1))
                .policy(policy);
    }

    /** Keys of which some come often, and some below zero. */
    private static long[] keys(Random random) {
        return random.doubles(1 + random.nextInt(400))
                .mapToLong(draw -> (long) (BOUND * draw * draw) - 500)
                .toArray();
    }

    private static float[] update(long[] keys, int push) {
        float[] update = new float[keys.length * WIDTH];
        Arrays.fill(update, push + 1);
        return update;
    }

    private static void pushToBoth(Worker worker, Pair pair, Random random, int push) {
        long[] keys = keys(random);
        Tensors.pushRows(worker, pair.host(), keys, update(keys, push)).await();
        Tensors.pushRows(worker, pair.device(), keys, update(keys, push)).await();
    }

    private static void requireEqual(Worker worker, Pair pair, String what) {
        assertThat(keys(worker, pair.device())).as(what).isEqualTo(keys(worker, pair.host()));
        assertThat(TableCounts.of(worker, pair.device()))
                .as(what)
                .hasToString(TableCounts.of(worker, pair.host()).toString());
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theRowsAreThoseOfTheHost(TablePolicy policy) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PsCluster cluster = PsCluster.builder().servers(1).devices(0).start()) {
            Worker worker = cluster.worker();
            Pair pair = Pair.init(worker, spec(policy));
            for (int push = 0; push < 40; push++) {
                pushToBoth(worker, pair, random, push);
                if (push % 7 == 6) {
                    long[] removed = keys(random);
                    Tensors.removeRows(worker, pair.host(), removed).await();
                    Tensors.removeRows(worker, pair.device(), removed).await();
                }
                requireEqual(worker, pair, "push " + push + ", seed " + seed);
            }
            pair.requireEqual(worker, random.longs(1000, -500, BOUND).toArray(), WIDTH);
        }
    }

    /** The versions of a cache are in the server's own memory, and are told which rows are removed. */
    @ParameterizedTest
    @MethodSource("policies")
    @Tag("every-kernel")
    void versionsOfACacheFollowTheRows(TablePolicy policy) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PsCluster cluster = PsCluster.builder().servers(1).devices(0).start()) {
            Worker worker = cluster.worker();
            TensorSpec spec = spec(policy);
            try (EmbeddingCache host = EmbeddingCache.of(worker, spec.named("h").placement("host"))
                            .rows(300)
                            .open();
                    EmbeddingCache device = EmbeddingCache.of(
                                    worker, spec.named("d").device())
                            .rows(300)
                            .open()) {
                for (int push = 0; push < 15; push++) {
                    long[] keys = keys(random);
                    host.update(keys, update(keys, push));
                    device.update(keys, update(keys, push));
                    float[] onHost = new float[keys.length * WIDTH];
                    float[] onDevice = new float[keys.length * WIDTH];
                    host.lookUp(keys, onHost);
                    device.lookUp(keys, onDevice);
                    assertThat(onDevice).as("push %s, seed %s", push, seed).isEqualTo(onHost);
                }
            }
            Pair pair = new Pair(TensorId.of("h"), TensorId.of("d"));
            requireEqual(worker, pair, "seed " + seed);
            pair.requireEqual(worker, random.longs(1000, -500, BOUND).toArray(), WIDTH);
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void marksAreSavedAndLoadedWithTheRows(TablePolicy policy, @TempDir Path folder) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (PsCluster cluster =
                PsCluster.builder().servers(1).devices(0).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            Pair pair = Pair.init(worker, spec(policy));
            for (int push = 0; push < 10; push++) {
                pushToBoth(worker, pair, random, push);
            }
            Tensors.save(worker, pair.host(), "host");
            Tensors.save(worker, pair.device(), "device");
            pair.clear(worker);
            TensorId onDevice =
                    Tensors.init(worker, spec(policy).named(pair.host().name()).device());
            TensorId onHost = Tensors.init(
                    worker, spec(policy).named(pair.device().name()).placement("host"));
            Pair moved = new Pair(onHost, onDevice);
            Tensors.load(worker, onDevice, "host");
            Tensors.load(worker, onHost, "device");
            for (int push = 0; push < 10; push++) {
                if (push == 4) { // the device's rows are loaded over others
                    Tensors.save(worker, onDevice, "again");
                    Tensors.save(worker, onHost, "again");
                    pushToBoth(worker, moved, random, push);
                    Tensors.load(worker, onDevice, "again");
                    Tensors.load(worker, onHost, "again");
                }
                pushToBoth(worker, moved, random, push);
                assertThat(keys(worker, onDevice))
                        .as("push %s, seed %s", push, seed)
                        .isEqualTo(keys(worker, onHost));
            }
            moved.requireEqual(worker, random.longs(1000, -500, BOUND).toArray(), WIDTH);
        }
    }

    private static Set<Long> keys(Worker worker, TensorId table) {
        Set<Long> keys = new TreeSet<>();
        Tensors.keys(worker, table).forEach(page -> Arrays.stream(page).forEach(keys::add));
        return keys;
    }
}
