package io.psf.builtin.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Laws;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TableCounts;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies of growing tables on whole clusters. */
class TablePolicyTest {
    private static final TablePolicy NONE = TablePolicy.keepAll();

    private static void push(Worker worker, TensorId table, long... keys) {
        float[] ones = new float[2 * keys.length];
        Arrays.fill(ones, 1);
        Tensors.pushRows(worker, table, keys, ones).await();
    }

    private static Set<Long> keys(Worker worker, TensorId table) {
        Set<Long> keys = new TreeSet<>();
        for (long[] page : Tensors.keys(worker, table)) {
            LongStream.of(page).forEach(keys::add);
        }
        return keys;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void rowsAreAdmittedOnAnyNumberOfServers(int servers) {
        try (PsCluster cluster = PsCluster.embedded(servers)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.admitAfter(2)));
            push(worker, table, LongStream.range(0, 100).toArray());
            float[] into = new float[4];
            Tensors.pullRows(worker, table, new long[] {1, 2}, into).await();
            assertThat(into).containsOnly(0);
            push(worker, table, LongStream.range(50, 150).toArray());
            assertThat(keys(worker, table))
                    .isEqualTo(new TreeSet<>(LongStream.range(50, 100).boxed().toList()));
            assertThat(TableCounts.of(worker, table))
                    .hasToString("rows=50, admitted=50, refused=150, expired=0, evicted=0");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTableStaysWithinItsBytesWhileManyKeysCome(boolean synchronous) {
        long bound = 1 << 20;
        int pushes = Laws.cases(75);
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(
                    worker,
                    TensorSpec.growing("t", 2)
                            .optimizer(Optimizers.adam(0.1))
                            .updates(synchronous ? Updates.SUM : Updates.EACH)
                            .policy(NONE.mostBytes(bound)));
            Random random = new Random(1);
            for (int push = 0; push < pushes; push++) {
                push(worker, table, random.longs(1000).distinct().toArray());
                assertThat(Tensors.list(worker).get(0).bytes().total())
                        .as("after push %s", push)
                        .isLessThanOrEqualTo(bound);
            }
            TensorSummary summary = Tensors.list(worker).get(0);
            TableCounts counts = TableCounts.of(worker, table);
            assertThat(summary.bytes().attachments()).isBetween(12 * counts.rows(), 15 * counts.rows() + 1024);
            assertThat(summary.bytes().total()).isBetween(bound / 2, bound);
            assertThat(counts.admitted()).isEqualTo(1000L * pushes);
            assertThat(counts.evicted()).isEqualTo(1000L * pushes - counts.rows());
        }
    }

    @Test
    void theBytesOfASketchAndOfACachesVersionsAreWithinTheLimitToo() {
        long bound = 1 << 20;
        int pushes = Laws.cases(75);
        TensorSpec spec = TensorSpec.growing("t", 2)
                .optimizer(Optimizers.adaGrad(0.1))
                .policy(NONE.admitAfter(2, 1 << 16).mostBytes(bound));
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            try (EmbeddingCache cache =
                    EmbeddingCache.of(worker, spec).rows(2000).open()) {
                Random random = new Random(1);
                for (int push = 0; push < pushes; push++) {
                    long[] keys = random.longs(1000).toArray();
                    cache.update(keys, new float[2000]);
                    cache.update(keys, new float[2000]);
                }
            }
            TensorSummary summary = Tensors.list(worker).get(0);
            TableCounts counts = TableCounts.of(worker, TensorId.of("t"));
            assertThat(counts.admitted()).isGreaterThan(1000L * pushes * 5 / 6);
            assertThat(summary.bytes().attachments()).isGreaterThanOrEqualTo(2 * (1 << 16) + 20 * counts.rows());
            assertThat(summary.bytes().total()).isBetween(bound / 2, bound);
        }
    }

    @Test
    void marksAreSavedWithTheRowsAndTheOldestIsStillTheOldest(@TempDir Path folder) {
        TensorSpec spec = TensorSpec.growing("t", 2).slices(1).policy(NONE.mostRows(3));
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            TensorId table = Tensors.init(cluster.worker(), spec);
            for (long key : new long[] {1, 2, 3, 1}) {
                push(cluster.worker(), table, key);
            }
            Tensors.save(cluster.worker(), table, "marks");
        }
        try (PsCluster cluster =
                PsCluster.builder().servers(3).checkpoints(folder).start()) {
            TensorId table = Tensors.init(cluster.worker(), spec);
            Tensors.load(cluster.worker(), table, "marks");
            push(cluster.worker(), table, 4);
            assertThat(keys(cluster.worker(), table)).containsExactly(1L, 3L, 4L);
            push(cluster.worker(), table, 5);
            assertThat(keys(cluster.worker(), table)).containsExactly(1L, 4L, 5L);
        }
    }

    @Test
    void roundsAndClippedStepsAreAdmittedToo() {
        try (PsCluster cluster = PsCluster.embedded(2, 2)) {
            List<Worker> workers = cluster.workers();
            TensorSpec spec = TensorSpec.growing("t", 2)
                    .updates(Updates.SUM)
                    .optimizer(Optimizers.sgd(1).clipNorm(100))
                    .policy(NONE.admitAfter(2).mostRows(1000));
            workers.forEach(worker -> Tensors.init(worker, spec));
            TensorId table = spec.tensor().id();
            for (int round = 0; round < 3; round++) {
                var one = Tensors.pushRows(workers.get(0), table, new long[] {1, 2}, new float[] {1, 1, 1, 1});
                var two = Tensors.pushRows(workers.get(1), table, new long[] {2, -3}, new float[] {1, 1, 1, 1});
                one.await();
                two.await();
            }
            float[] into = new float[6];
            Tensors.pullRows(workers.get(0), table, new long[] {1, 2, -3}, into).await();
            assertThat(into).containsExactly(-2, -2, -4, -4, -2, -2); // the first round is not admitted
        }
    }

    @Test
    void rowsStillExpireAfterAnEarlierCheckpointIsLoadedOnTheSameServers(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.expireAfterPushes(10)));
            push(worker, table, 1, 2);
            Tensors.save(worker, table, "early");
            for (int push = 0; push < 100; push++) {
                push(worker, table, 2);
            }
            Tensors.load(worker, table, "early");
            assertThat(keys(worker, table)).containsExactly(1L, 2L);
            for (int push = 0; push < 20; push++) {
                push(worker, table, 2);
            }
            assertThat(keys(worker, table)).containsExactly(2L);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, EACH", "1, SUM", "4, EACH", "4, SUM"})
    void aClippedPushOfMoreKeysThanTheTableHoldsKeepsItsNormAndTheLimit(int slices, Updates updates) {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(
                    worker,
                    TensorSpec.growing("t", 2)
                            .slices(slices)
                            .updates(updates)
                            .optimizer(Optimizers.sgd(1).clipNorm(10))
                            .policy(NONE.mostRows(80)));
            push(worker, table, LongStream.range(0, 5000).toArray()); // a norm of 100
            long[] left = keys(worker, table).stream().mapToLong(key -> key).toArray();
            assertThat(left).hasSizeBetween(40, 80);
            float[] values = new float[2 * left.length];
            Tensors.pullRows(worker, table, left, values).await();
            for (float value : values) {
                assertThat(value).isCloseTo(-0.1f, within(1e-5f));
            }
            TableCounts counts = TableCounts.of(worker, table);
            assertThat(counts.rows()).isEqualTo(left.length);
            assertThat(counts.evicted()).isEqualTo(5000 - left.length);
            push(worker, table, 5000);
            assertThat(keys(worker, table)).contains(5000L).hasSizeLessThanOrEqualTo(80);
        }
    }

    @Test
    void aLimitOfBytesThatLeavesNoSpaceForRowsIsRefused() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            long least = 2 * ((4 << 20) + 8 * 1024 + 2 * 256 * 12 + 64 * 28);
            assertThatThrownBy(() -> Tensors.init(
                            cluster.worker(),
                            TensorSpec.growing("t", 2)
                                    .slices(2)
                                    .policy(NONE.admitAfter(2).mostBytes(least - 1))))
                    .hasMessageStartingWith("BAD_REQUEST: most bytes of table \"t\": " + (least - 1) + " (expected: >= "
                            + least + ", for 2 slices with a sketch of 4194304 bytes, an index, and 64 rows each)");
            TensorId table = Tensors.init(
                    cluster.worker(),
                    TensorSpec.growing("u", 2)
                            .slices(2)
                            .policy(NONE.admitAfter(2).mostBytes(least)));
            long[] keys = LongStream.range(0, 1000).toArray();
            push(cluster.worker(), table, keys);
            push(cluster.worker(), table, keys);
            assertThat(keys(cluster.worker(), table)).hasSizeBetween(100, 128);
        }
    }

    /** Marks grow with the rows, and not by a fraction of the table ahead of them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 37, 1000})
    void theBytesAreWithinTheLimitAfterEachPush(int keys) {
        long bound = 200_000;
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.mostBytes(bound)));
            Random random = new Random(keys);
            long most = 0;
            push(worker, table, random.longs(keys == 1 ? 4000 : 1).toArray()); // not one by one up to the limit
            for (int push = 0; push < Laws.cases(keys == 1 ? 2000 : 6000 / keys); push++) {
                push(worker, table, random.longs(keys).distinct().toArray());
                long bytes = Tensors.list(worker).get(0).bytes().total();
                assertThat(bytes).as("after push %s", push).isLessThanOrEqualTo(bound);
                most = Math.max(most, bytes);
            }
            assertThat(most).isGreaterThan(bound / 10 * 9);
        }
    }

    /** A client that may only pull would make the table evict. */
    @Test
    void aCacheThatReadsTakesNoMemoryOfABoundedTable() {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId table = Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.mostBytes(200_000)));
            long[] keys = LongStream.range(0, 10_000).toArray();
            push(worker, table, keys);
            push(
                    worker,
                    table,
                    keys(worker, table).stream().mapToLong(key -> key).toArray());
            TableCounts before = TableCounts.of(worker, table);
            long bytes = Tensors.list(worker).get(0).bytes().total();
            SyncEmbeddingPsf.stub(worker)
                    .call(table, LongArray.of(1), LongArray.of(-1), 0)
                    .await();
            assertThat(Tensors.list(worker).get(0).bytes().total()).isEqualTo(bytes);
            push(
                    worker,
                    table,
                    keys(worker, table).stream().mapToLong(key -> key).toArray());
            assertThat(TableCounts.of(worker, table).evicted()).isEqualTo(before.evicted());
        }
    }

    @Test
    void fewerRowsThanSlicesAreRefusedAndMoreAreNeverExceeded() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            assertThatThrownBy(() ->
                            Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.mostRows(1))))
                    .hasMessageStartingWith(
                            "BAD_REQUEST: most rows of table \"t\": 1 (expected: >= 2, one for each" + " slice)");
            // the name is free
            TensorId table = Tensors.init(worker, TensorSpec.growing("t", 2).policy(NONE.mostRows(3)));
            for (long key = 0; key < 20; key++) {
                push(worker, table, key);
                assertThat(keys(worker, table).size()).isLessThanOrEqualTo(3);
            }
        }
    }

    @Test
    void aSketchForTheExpectedKeysAdmitsFewOfThoseThatComeOnce() {
        int keys = 100_000;
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId small = Tensors.init(worker, TensorSpec.growing("s", 2).policy(NONE.admitAfter(2, keys / 4)));
            TensorId sized = Tensors.init(worker, TensorSpec.growing("e", 2).policy(NONE.admitAfterAmong(2, keys)));
            for (TensorId table : List.of(small, sized)) {
                for (long key = 0; key < keys; key += 5_000) {
                    push(worker, table, LongStream.range(key, key + 5_000).toArray());
                }
            }
            assertThat(TableCounts.of(worker, small).admitted()).isBetween(keys / 50L, keys / 10L);
            assertThat(TableCounts.of(worker, sized).admitted()).isLessThan(keys / 1000L);
            push(worker, sized, LongStream.range(0, 1000).toArray());
            assertThat(keys(worker, sized))
                    .containsAll(LongStream.range(0, 1000).boxed().toList());
        }
    }

    @Test
    void moreExpectedKeysThanASketchCanCountAreRefused() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            assertThatThrownBy(() -> Tensors.init(
                            cluster.worker(), TensorSpec.growing("t", 2).policy(NONE.admitAfterAmong(2, 1L << 40))))
                    .hasMessageStartingWith("BAD_REQUEST: expectedKeys of a table's policy: 1099511627776 (expected: at"
                            + " most 134217728 in 2 slices)");
        }
        assertThatThrownBy(() -> NONE.admitAfterAmong(2, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected keys of a table's policy: 0 (expected: >= 1)");
    }

    @Test
    void aPolicyOfATensorThatDoesNotGrowIsRefused() {
        assertThatThrownBy(() -> TensorSpec.table("t", 10, 2).policy(NONE.mostRows(5)))
                .hasMessage("policy of tensor \"t\": {eviction=lru, rows=5} (expected: none, since the tensor does not"
                        + " grow)");
    }
}
