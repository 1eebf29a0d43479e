package io.psf.acceptance;

import static io.psf.acceptance.Clusters.onEachWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.builtin.Model;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.optimizer.Schedule;
import io.psf.kvstore.KVStore;
import io.psf.runtime.PsCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MXNet's tests of its distributed KVStore, on whole clusters. */
@Timeout(180)
final class KVStoreTest {
    private static float[] filled(int n, float value) {
        float[] values = new float[n];
        Arrays.fill(values, value);
        return values;
    }

    private static float[] pulled(KVStore kv, Object key, int n) {
        float[] into = new float[n];
        kv.pull(key, into).await();
        return into;
    }

    private static void assertRefused(PsException.Code code, ThrowingCallable call, String... messages) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(messages);
    }

    /** The rule is w += 2 sum; worker r pushes r + 1. */
    @ParameterizedTest
    @CsvSource({"MEMORY, 2, 3, 2", "TCP, 2, 3, 3", "MEMORY, 1200, 1200, 2", "SHARED_MEMORY, 1200, 1200, 2"})
    void mx1_aRoundAppliesTheRuleToTheSum(Over over, int rows, int width, int workers) {
        try (PsCluster cluster = Clusters.start(over, 2, workers)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    kv.setOptimizer(Optimizers.add(2));
                    kv.init("w", filled(rows * width, 1), rows, width);
                    int n = kv.numWorkers();
                    for (int i = 0; i < 7; i++) {
                        Pending<?> pushed = kv.push("w", filled(rows * width, kv.rank() + 1));
                        Values.assertOnly(pulled(kv, "w", rows * width), n * (n + 1) * (i + 1) + 1);
                        pushed.await();
                        kv.barrier();
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 2, 3", "TCP, 1200, 1200"})
    void mx2_aPushOfRowsChangesTheseRows(Over over, int rows, int width) {
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    kv.setOptimizer(Optimizers.add(2));
                    kv.init("w", filled(rows * width, 1), rows, width);
                    Random random = new Random(worker.rank());
                    for (int i = 0; i < 7; i++) {
                        long[] mine = {kv.rank() % 2};
                        Pending<?> pushed = kv.push("w", mine, filled(width, kv.rank() + 1));
                        long[] asked = random.longs(rows, 0, rows).toArray();
                        float[] into = new float[rows * width];
                        kv.rowSparsePull("w", asked, into).await();
                        for (int at = 0; at < rows; at++) {
                            int row = (int) asked[at];
                            int ofRow = IntStream.range(0, kv.numWorkers())
                                    .filter(rank -> rank % 2 == row)
                                    .map(rank -> 2 * (rank + 1))
                                    .sum();
                            assertThat(Arrays.copyOfRange(into, at * width, (at + 1) * width))
                                    .as("row %d in round %d", row, i)
                                    .containsOnly(1 + ofRow * (i + 1));
                        }
                        pushed.await();
                        kv.barrier();
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void mx3_aPushOfNoRowsChangesNothing(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    kv.init(
                            List.of("small", "big"),
                            List.of(filled(6, 3), filled(1_000_000, 3)),
                            List.of(new int[] {2, 3}, new int[] {1000, 1000}));
                    for (int i = 0; i < 7; i++) {
                        kv.push("small", new long[0], new float[0]).await();
                        kv.push("big", new long[0], new float[0]).await();
                    }
                    assertThat(pulled(kv, "small", 6)).containsOnly(3);
                    Values.assertOnly(pulled(kv, "big", 1_000_000), 3);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY", "TCP"})
    void mx5_everyWorkerPullsTheFirstValuesOfRankZero(Over over) {
        List<Integer> keys = IntStream.range(0, 200).boxed().toList();
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    List<float[]> values = new ArrayList<>();
                    List<int[]> shapes = new ArrayList<>();
                    List<float[]> into = new ArrayList<>();
                    for (int i : keys) {
                        int[] shape = i % 2 == 0 ? new int[] {3, 5} : new int[] {i % 50 == 1 ? 200_000 : 20_000, 5};
                        shapes.add(shape);
                        values.add(filled(shape[0] * shape[1], i + 1000 * kv.rank()));
                        into.add(new float[shape[0] * shape[1]]);
                    }
                    kv.init(keys, values, shapes);
                    kv.pull(keys, into).await();
                    for (int i : keys) {
                        Values.assertOnly(into.get(i), i);
                    }
                }
            });
        }
    }

    /** The pushed gradients add up to the threshold at the third, the fifth and the sixth push. */
    @ParameterizedTest
    @CsvSource({"MEMORY, 2, 3, 2", "TCP, 2, 3, 3", "TCP, 1200, 1200, 2"})
    void mx6_twoBitCompressionSendsTheThresholdOnceTheResidualReachesIt(Over over, int rows, int width, int workers) {
        float[] gradients = {0, .4f, .1f, .2f, .3f, .5f};
        int[] sent = {0, 0, 1, 1, 2, 3};
        try (PsCluster cluster = Clusters.start(over, 2, workers)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    kv.setOptimizer(Optimizers.add(2));
                    kv.setGradientCompression("2bit", 0.5);
                    kv.init("w", filled(rows * width, 0), rows, width);
                    kv.init("v", filled(5, 0));
                    for (int i = 0; i < gradients.length; i++) {
                        kv.push("w", filled(rows * width, gradients[i])).await();
                        Values.assertOnly(pulled(kv, "w", rows * width), workers * sent[i]);
                        float[] minus = new float[5];
                        kv.pushPull("v", filled(5, -gradients[i]), minus).await();
                        assertThat(minus).containsOnly(-workers * sent[i]);
                        kv.barrier();
                    }
                }
            });
        }
    }

    /** Of gradients 3, -0.25, .. the residual is what +1 or -1 leaves. */
    @ParameterizedTest
    @CsvSource({"MEMORY", "TCP"})
    void oneBitCompressionSendsTheSign(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_async")) {
                    kv.setOptimizer(Optimizers.add());
                    kv.setGradientCompression("1bit", 0);
                    String mine = "w" + kv.rank();
                    kv.init(
                            List.of("w0", "w1"),
                            List.of(new float[40], new float[40]),
                            List.of(new int[] {40}, new int[] {8, 5}));
                    float[] gradient = filled(40, -0.25f); // residuals -0.25: -1, 0.75; 0.5: 1, -0.5; -0.75: -1, 0.25
                    gradient[33] = 3; // residuals 3: 1, 2; 5: 1, 4
                    float[][] expected = {{-1, 1}, {0, 2}, {-1, 3}};
                    for (float[] each : expected) {
                        kv.push(mine, gradient).await();
                        float[] values = pulled(kv, mine, 40);
                        assertThat(values[33]).isEqualTo(each[1]);
                        assertThat(values[32]).isEqualTo(each[0]);
                        assertThat(values[39]).isEqualTo(each[0]);
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"2bit, 16", "1bit, 32"})
    void compressedPushesTakeAFractionOfTheBytes(String type, int fraction) {
        int n = 1_000_000;
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.init("w", new float[n]);
            long before = cluster.worker().bytesSent();
            kv.push("w", filled(n, 1)).await();
            long plain = cluster.worker().bytesSent() - before;
            assertThat(plain).isGreaterThan(4L * n);
            kv.setGradientCompression(type, 0.5);
            before = cluster.worker().bytesSent();
            kv.push("w", filled(n, 1)).await();
            long compressed = cluster.worker().bytesSent() - before;
            assertThat(compressed).isLessThan(plain / fraction * 105 / 100);
            assertThat(pulled(kv, "w", n)).containsOnly(type.equals("2bit") ? 0.5f : 1);
        }
    }

    @Test
    void compressionRefusesWhatItCannotSend() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.init("w", new float[6], 2, 3);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> kv.setGradientCompression("4bit", 1))
                    .withMessageContainingAll("\"4bit\"", "\"2bit\"");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> kv.setGradientCompression("2bit", 0))
                    .withMessageContaining("0.0");
            kv.setGradientCompression("2bit", 1);
            assertRefused(
                    PsException.Code.BAD_REQUEST,
                    () -> kv.push("w", new long[] {0}, new float[3]),
                    "\"w\"",
                    "compression");
            assertRefused(PsException.Code.BAD_REQUEST, () -> kv.push("w", new float[5]), "\"w\"", "5", "6");
            float[] gradient = filled(6, 1);
            gradient[4] = Float.NaN;
            assertRefused(PsException.Code.BAD_REQUEST, () -> kv.push("w", gradient), "\"w\"", "element 4", "NaN");
            assertRefused(PsException.Code.UNKNOWN_TENSOR, () -> kv.push("v", gradient), "\"v\"");
            kv.push("w", filled(6, 1)).await();
            assertThat(pulled(kv, "w", 6)).containsOnly(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, dist_sync", "TCP, dist_sync", "TCP, dist_async"})
    void anOptimizerIsSetOnKeysThatExist(Over over, String type) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, type)) {
                    kv.init("w", filled(30, 1), 10, 3);
                    if (type.equals("dist_sync")) {
                        kv.push("w", filled(30, 2)).await();
                        assertThat(pulled(kv, "w", 30)).as("the sum").containsOnly(4);
                        kv.barrier();
                        kv.pushPull("w", filled(30, 0.5f), new float[30]).await(); // the sum is 1
                    }
                    kv.setOptimizer(Optimizers.sgd(kv.rank() == 0 ? 0.5 : 100));
                    assertThat(pulled(kv, "w", 30)).as("unchanged").containsOnly(1);
                    kv.barrier();
                    kv.push("w", filled(30, 1)).await();
                    kv.init("v", filled(4, 7));
                    kv.push("v", filled(4, 1)).await();
                    kv.barrier();
                    assertThat(pulled(kv, "w", 30)).containsOnly(0);
                    assertThat(pulled(kv, "v", 4)).containsOnly(6);
                    kv.barrier();
                    kv.setOptimizer(Optimizers.add(3));
                    kv.push("w", filled(30, 1)).await();
                    kv.barrier();
                    assertThat(pulled(kv, "w", 30)).containsOnly(6);
                    kv.barrier();
                    kv.init("w", filled(30, 9), 10, 3);
                    assertThat(pulled(kv, "w", 30)).as("initialized already").containsOnly(6);
                }
            });
        }
    }

    private static PsCluster cluster(Path folder, int servers) {
        return PsCluster.builder()
                .servers(servers)
                .workers(1)
                .deadline(Duration.ofSeconds(30))
                .checkpoints(folder)
                .start();
    }

    /** Saved on 2 servers, loaded on 3: Adam continues with its moments and step counts, as without a break. */
    @ParameterizedTest
    @ValueSource(strings = {"adam", "lazyAdam with a schedule"})
    void optimizerStatesAreSavedAndLoadedOnAnyNumberOfServers(String name, @TempDir Path folder) {
        OptimizerSpec optimizer = name.equals("adam")
                ? Optimizers.adam(0.1)
                : Optimizers.lazyAdam(0.1).schedule(Schedule.linear(7, 0.1));
        List<float[]> left = List.of(new float[30_000], new float[7]);
        List<float[]> expected = List.of(new float[30_000], new float[7]);
        List<String> keys = List.of("w", "v");
        List<int[]> shapes = List.of(new int[] {10_000, 3}, new int[0]);
        try (PsCluster cluster = cluster(folder, 2)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.setOptimizer(optimizer);
            kv.init(keys, left, shapes);
            kv.saveOptimizerStates("epoch");
            for (int i = 0; i < 3; i++) {
                kv.push(keys, List.of(filled(30_000, 1 + i), filled(7, 2 - i))).await();
            }
            kv.pull(keys, left).await();
            kv.saveOptimizerStates("epoch"); // replaces the states without a step
            kv.push(keys, List.of(filled(30_000, -5), filled(7, 3))).await();
            kv.pull(keys, expected).await();
        }
        try (PsCluster cluster = cluster(folder, 3)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.setOptimizer(optimizer);
            kv.init(keys, left, shapes);
            kv.push(keys, List.of(new float[30_000], new float[7])).await(); // states of zeros, to be replaced
            kv.loadOptimizerStates("epoch");
            kv.push(keys, List.of(filled(30_000, -5), filled(7, 3))).await();
            kv.loadOptimizerStates("epoch"); // the values stay
            assertThat(pulled(kv, "w", 30_000)).isEqualTo(expected.get(0));
            assertThat(pulled(kv, "v", 7)).isEqualTo(expected.get(1));
            assertRefused(PsException.Code.STORAGE, () -> kv.loadOptimizerStates("none"), "checkpoint \"none\": none");
        }
        assertThat(folder.toFile().list()).containsExactly("epoch.states");
        assertThat(Model.list(folder)).hasSize(1);
    }

    @Test
    void optimizerStatesOfOtherKeysAreRefused(@TempDir Path folder) {
        try (PsCluster cluster = cluster(folder, 2)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            assertRefused(
                    PsException.Code.BAD_REQUEST, () -> kv.saveOptimizerStates("s"), "0 (expected: at least one)");
            kv.setOptimizer(Optimizers.momentum(0.1, 0.9));
            kv.init("w", new float[40]);
            kv.push("w", filled(40, 1)).await();
            kv.saveOptimizerStates("s");
        }
        try (PsCluster cluster = cluster(folder, 2)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.setOptimizer(Optimizers.adam(0.1));
            assertRefused(PsException.Code.UNKNOWN_TENSOR, () -> kv.loadOptimizerStates("s"), "\"w\"");
            kv.init("w", new float[40]);
            assertRefused(
                    PsException.Code.BAD_REQUEST,
                    () -> kv.loadOptimizerStates("s"),
                    "\"w\"",
                    "psf.momentum",
                    "psf.adam");
        }
        for (TensorSpec other : List.of(TensorSpec.dense("w", 41), TensorSpec.growing("w", 1))) {
            try (PsCluster cluster = cluster(folder, 2)) {
                KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
                var unused = Tensors.init(cluster.worker(), other.optimizer(Optimizers.momentum(0.1, 0.9)));
                assertRefused(
                        PsException.Code.BAD_REQUEST,
                        () -> kv.loadOptimizerStates("s"),
                        "\"w\"",
                        other.tensor().grows() ? "which grows" : "[40, 1] (expected: [41, 1]");
            }
        }
    }

    /** All is verified before anything changes, also what another server would load. */
    @Test
    void damagedStatesAreRefusedAndChangeNothing(@TempDir Path folder) throws IOException {
        try (PsCluster cluster = cluster(folder, 2)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            kv.setOptimizer(Optimizers.momentum(1, 0.5));
            kv.init("w", new float[200_000]);
            kv.saveOptimizerStates("s");
            kv.push("w", filled(200_000, 1)).await();
            try (Stream<Path> files = Files.walk(folder)) {
                Path pack = files.filter(each -> each.toString().endsWith(".pack"))
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
                byte[] bytes = Files.readAllBytes(pack);
                bytes[bytes.length / 2] ^= 1;
                Files.write(pack, bytes);
            }
            assertRefused(PsException.Code.STORAGE, () -> kv.loadOptimizerStates("s"), "damaged");
            kv.push("w", filled(200_000, 1)).await();
            assertThat(pulled(kv, "w", 200_000))
                    .as("with the momentum of the first push")
                    .containsOnly(-2.5f);
        }
    }

    /** Each error is an answer; the servers and the other workers go on. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void mx12_everyMistakeIsAnErrorThatNamesTensorExpectedAndActual(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_sync")) {
                    kv.init("w", filled(6, 1), 2, 3);
                    kv.init("w", filled(6, 5), 2, 3);
                    kv.init("x", filled(4, 5));
                    assertThat(pulled(kv, "w", 6)).containsOnly(1);
                    assertRefused(
                            PsException.Code.UNKNOWN_TENSOR,
                            () -> kv.push("v", new float[6]).await(),
                            "\"v\"");
                    assertRefused(
                            PsException.Code.ALREADY_EXISTS,
                            () -> kv.init("w", filled(6, 1), 3, 2),
                            "\"w\"",
                            "[3, 2]",
                            "[2, 3]");
                    assertRefused(PsException.Code.BAD_REQUEST, () -> kv.init("u", filled(6, 1), 2, 2), "\"u\"", "6");
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.push("w", new float[5]).await(),
                            "\"w\"",
                            "5",
                            "6");
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.pull("w", new float[7]).await(),
                            "\"w\"",
                            "7",
                            "6");
                    assertRefused(
                            PsException.Code.OUT_OF_RANGE,
                            () -> kv.rowSparsePull("w", new long[] {0, 2}, new float[6])
                                    .await(),
                            "\"w\"",
                            "2");
                    assertRefused(
                            PsException.Code.BAD_REQUEST, () -> kv.pull(3, new float[6]), "the Integer 3", "\"w\"");
                    assertRefused(PsException.Code.BAD_REQUEST, () -> kv.pull(3L, new float[6]), "the Long 3");
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.push(List.of("w", "w"), List.of(new float[6], new float[6])),
                            "\"w\"",
                            "twice");
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.push(List.of("w"), List.of()),
                            "arrays for the keys: 0",
                            "1");
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> KVStore.create(worker, "local"))
                            .withMessageContainingAll("\"local\"", "dist_sync", "dist_async");
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.push(List.of("x", "w"), List.of(new float[5], filled(6, 2)))
                                    .await(),
                            "\"x\"",
                            "5");
                    assertThat(pulled(kv, "w", 6)).as("nothing was pushed").containsOnly(1);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void mx20_theSumReplacesTheValueAndAWorkerThatHasNotPushedPullsAtOnce(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> KVStore.create(worker, "dist_sync").init(3, filled(10, 7)));
            try (KVStore one = KVStore.create(cluster.worker(0), "dist_sync");
                    KVStore two = KVStore.create(cluster.worker(1), "dist_sync")) {
                Pending<?> first = one.push(3, filled(10, 1));
                Pending<?> second = one.push(3, filled(10, 10));
                assertThat(pulled(two, 3, 10)).as("the old value").containsOnly(7);
                assertThat(first.isDone() || second.isDone()).isFalse();
                two.push(3, filled(10, 100)).await();
                first.await();
                assertThat(pulled(two, 3, 10)).as("the sum").containsOnly(101);
                assertThat(second.isDone()).isFalse();
                float[] into = new float[10];
                two.pushPull(3, filled(10, 1000), into).await();
                assertThat(into).containsOnly(1010);
                second.await();
            }
        }
    }

    @Test
    void mx20_aRoundWithoutOneWorkerTimesOut() {
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(2)
                .deadline(Duration.ofSeconds(2))
                .start()) {
            onEachWorker(cluster, worker -> {
                KVStore kv = KVStore.create(worker, "dist_sync");
                kv.init("w", filled(10, 7));
                if (kv.rank() == 0) {
                    assertRefused(
                            PsException.Code.TIMED_OUT,
                            () -> kv.push("w", filled(10, 1)).await(),
                            "\"w\"");
                }
                assertThat(pulled(kv, "w", 10)).containsOnly(7);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void mx21_anAsynchronousPushIsAppliedOnArrival(Over over) {
        int times = 50;
        try (PsCluster cluster = Clusters.start(over, 2, 3)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_async")) {
                    assertRefused(
                            PsException.Code.BAD_REQUEST,
                            () -> kv.push("w", filled(1001, 1)),
                            "dist_async",
                            "setOptimizer");
                    kv.setOptimizer(Optimizers.add());
                    kv.init("w", filled(1001, 1));
                    List<Pending<?>> pushes = new ArrayList<>();
                    float before = 0;
                    for (int i = 0; i < times; i++) {
                        pushes.add(kv.push("w", filled(1001, 1)));
                        float now = pulled(kv, "w", 1001)[1000];
                        assertThat(now).isGreaterThanOrEqualTo(before + 1);
                        before = now;
                    }
                    pushes.forEach(Pending::await);
                    kv.barrier();
                    assertThat(pulled(kv, "w", 1001)).containsOnly(1 + kv.numWorkers() * times);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY", "TCP"})
    void listsOfKeysAreOneCall(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 2)) {
            onEachWorker(cluster, worker -> {
                try (KVStore kv = KVStore.create(worker, "dist_device_sync")) {
                    float[] into = new float[4];
                    kv.broadcast("a", filled(4, 3 + kv.rank()), into, 2, 2);
                    assertThat(into).containsOnly(3);
                    kv.init("b", filled(7, 1));
                    List<String> keys = List.of("a", "b");
                    Pending<?> pushed = kv.push(keys, List.of(filled(4, 1), filled(7, 2)));
                    pushed.await();
                    assertThat(pushed.isDone()).isTrue();
                    float[] a = new float[4];
                    float[] b = new float[7];
                    kv.pull(keys, List.of(a, b)).toCompletableFuture().join();
                    assertThat(a).containsOnly(2);
                    assertThat(b).containsOnly(4);
                    kv.barrier();
                    kv.pushPull(keys, List.of(filled(4, 5), filled(7, 6)), List.of(a, b))
                            .await(Duration.ofSeconds(30));
                    assertThat(a).containsOnly(10);
                    assertThat(b).containsOnly(12);
                    float[] rows = new float[4];
                    kv.rowSparsePull(keys, List.of(new long[] {1, 1}, new long[] {6}), List.of(rows, new float[1]))
                            .await();
                    assertThat(rows).containsOnly(10);
                    assertThat(kv.tensor("a").name()).isEqualTo("a");
                    assertThat(kv.numDeadNode()).isZero();
                }
            });
        }
    }

    /** The first key of each list is right, and the second one is wrong. */
    @ParameterizedTest
    @CsvSource({"MEMORY, false", "TCP, false", "MEMORY, true"})
    void aListWithOneWrongKeySendsNothing(Over over, boolean compressed) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_async");
            kv.setOptimizer(Optimizers.add());
            if (compressed) {
                kv.setGradientCompression("2bit", 1);
            }
            kv.init("a", filled(4, 3), 2, 2);
            kv.init("b", filled(7, 1));
            float[] ones = filled(4, 1);
            float[] a = new float[4];
            float[] b = new float[7];
            PsException.Code bad = PsException.Code.BAD_REQUEST;
            assertRefused(
                    PsException.Code.UNKNOWN_TENSOR, () -> kv.push(List.of("a", "c"), List.of(ones, ones)), "\"c\"");
            assertRefused(bad, () -> kv.push(List.of("a", "b"), List.of(ones, ones)), "\"b\": 4", "7");
            assertRefused(bad, () -> kv.pull(List.of("a", "b"), List.of(a, a)), "\"b\": 4", "7");
            assertRefused(
                    bad,
                    () -> kv.pushPull(List.of("a", "b"), List.of(ones, filled(7, 1)), List.of(a, a)),
                    "into length of key \"b\": 4");
            assertRefused(
                    bad, () -> kv.pushPull(List.of("a", "b"), List.of(ones, ones), List.of(a, b)), "\"b\": 4", "7");
            assertRefused(bad, () -> kv.pushPull("a", ones, b).await(), "\"a\"", "7", "4");
            assertRefused(
                    bad,
                    () -> kv.rowSparsePull(
                            List.of("a", "b"), List.of(new long[] {1}, new long[] {6}), List.of(new float[2], a)),
                    "\"b\": 4",
                    "1");
            assertRefused(
                    PsException.Code.OUT_OF_RANGE,
                    () -> kv.rowSparsePull(
                            List.of("a", "b"),
                            List.of(new long[] {1}, new long[] {7}),
                            List.of(new float[2], new float[1])),
                    "\"b\": 7");
            assertRefused(
                    PsException.Code.ALREADY_EXISTS,
                    () -> kv.init(List.of("new", "a"), List.of(ones, ones), List.of(new int[] {4}, new int[] {4})),
                    "\"a\"");
            assertRefused(
                    PsException.Code.UNKNOWN_TENSOR, () -> kv.pull("new", a).await(), "\"new\"");
            if (compressed) {
                float[] infinite = filled(7, Float.POSITIVE_INFINITY);
                assertRefused(bad, () -> kv.push(List.of("a", "b"), List.of(ones, infinite)), "\"b\"", "finite");
            }
            assertThat(a).as("nothing was pulled").containsOnly(0);
            assertThat(pulled(kv, "a", 4)).as("nothing was pushed").containsOnly(3);
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY", "TCP"})
    void aCommandRunsOnEveryServer(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            KVStore kv = KVStore.create(cluster.worker(), "dist_sync");
            assertThat(kv.sendCommandToServers(CountShards.HEAD, "to")).containsExactly("to 0 false", "to 1 false");
            kv.init("w", filled(10, 1));
            assertThat(kv.sendCommandToServers(CountShards.HEAD, "to")).containsExactly("to 0 true", "to 1 true");
            assertRefused(PsException.Code.BAD_REQUEST, () -> kv.sendCommandToServers(8, ""), "head: 8", "[7]");
        }
    }
}
