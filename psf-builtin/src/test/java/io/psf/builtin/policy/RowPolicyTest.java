package io.psf.builtin.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Shard;
import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.Laws;
import io.psf.builtin.Optimizers;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies on one shard, against plain models. */
class RowPolicyTest {
    private static final TensorId T = TensorId.of("t");

    private final AtomicLong clock = new AtomicLong(1_700_000_000);

    private TestShard shard(PolicyOptions options) {
        return shard(options, cluster());
    }

    private static TestCluster cluster() {
        return PsfTest.of(CountPolicyPsf.bind(new CountPolicy() {}))
                .growing(T, 2)
                .optimizer(Optimizers.add().create())
                .on(1);
    }

    private TestShard shard(PolicyOptions options, TestCluster cluster) {
        TestShard shard = cluster.shard(T, 0);
        RowPolicy.attach(shard, options, 1, clock::get);
        return shard;
    }

    private static void push(TestShard shard, long... keys) {
        push(shard, shard, keys);
    }

    /** Pushes to a shard whose optimizer steps another one, which may be the same. */
    private static void push(Shard shard, TestShard stepped, long... keys) {
        FloatArray ones = FloatArray.allocate(stepped.width() * keys.length);
        ones.fill(1);
        RowPolicy.of(shard).apply(shard, new RowPolicy.Part(LongArray.wrap(keys), ones), true, part -> {
            int[] known = part.rows();
            if (known == null || shard != stepped) {
                stepped.optimizer().apply(stepped, part.keys(), part.values());
                return;
            }
            int[] found = new int[known.length];
            var unused = stepped.find(part.keys(), found);
            assertThat(known).isEqualTo(found);
            ((TiledOptimizer) stepped.optimizer()).apply(stepped, part.keys(), known, part.values());
            assertThat(known).isEqualTo(stepped.rows(part.keys()));
        });
    }

    private static Set<Long> keys(TestShard shard) {
        Set<Long> keys = new TreeSet<>();
        for (int row = 0; row < shard.rows(); row++) {
            keys.add(shard.key(row));
        }
        return keys;
    }

    @Test
    void aRowIsMadeWithTheThirdPushOfItsKey() {
        TestShard shard = shard(PolicyOptions.NONE.withAdmission(3, 1 << 16));
        push(shard, 1, 2);
        push(shard, 1);
        assertThat(shard.rows()).isZero();
        push(shard, 1, 2);
        push(shard, 1, 3);
        assertThat(keys(shard)).containsExactly(1L);
        assertThat(shard.values(1).toArray()).containsExactly(2, 2); // the third and the fourth update
        assertThat(RowPolicy.of(shard).counts()).isEqualTo(new RowPolicy.Counts(1, 5, 0, 0));
    }

    /** The step of the optimizer may follow in a later turn. */
    @Test
    void theShardIsToldWhoseMarksChange() {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(20, 0, false));
        push(shard, 1, 2, 3);
        RowWrites writes = Objects.requireNonNull(shard.writes());
        writes.begin();
        var unused = RowPolicy.of(shard).admit(shard, new RowPolicy.Part(LongArray.of(2, 9), FloatArray.allocate(4)));
        assertThat(Objects.requireNonNull(writes.take()).rows().stream()).containsExactly(shard.find(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRowsOfAFullTableAreThoseOfTheModel(boolean lfu) {
        int most = 20;
        for (int seed = 0; seed < Laws.cases(5); seed++) {
            Random random = new Random(seed);
            TestShard shard = shard(PolicyOptions.NONE.withLimits(most, 0, lfu));
            Map<Long, long[]> model = new HashMap<>(); // count and time of each key
            long evicted = 0;
            for (int time = 1; time <= 600; time++) {
                long key = (long) Math.abs(random.nextGaussian() * 25);
                push(shard, key);
                if (!model.containsKey(key) && model.size() == most) {
                    Comparator<Map.Entry<Long, long[]>> byTime = Comparator.comparingLong(each -> each.getValue()[1]);
                    Comparator<Map.Entry<Long, long[]>> byCount = Comparator.comparingLong(each -> each.getValue()[0]);
                    model.remove(model.entrySet().stream()
                            .min(lfu ? byCount.thenComparing(byTime) : byTime)
                            .orElseThrow()
                            .getKey());
                    evicted++;
                }
                long[] mark = model.computeIfAbsent(key, made -> new long[2]);
                mark[0]++;
                mark[1] = time;
                assertThat(keys(shard)).as("seed %s, time %s", seed, time).isEqualTo(new TreeSet<>(model.keySet()));
            }
            assertThat(RowPolicy.of(shard).counts().evicted()).isEqualTo(evicted);
        }
    }

    /** A full table removes a 64th at once, of the lowest ranks, and no row of the push that needs the space. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRowsThatABatchRemovesAreThoseOfTheModel(boolean lfu) {
        int most = 640;
        TestShard shard = shard(PolicyOptions.NONE.withLimits(most, 0, lfu));
        Random random = new Random(11);
        Map<Long, Long> ranks = new HashMap<>();
        long evicted = 0;
        for (int time = 1; time <= Laws.cases(250); time++) {
            long[] keys = random.doubles(1 + random.nextInt(60))
                    .mapToLong(draw -> (long) (2000 * draw * draw))
                    .distinct()
                    .toArray();
            Set<Long> pushed = LongStream.of(keys).boxed().collect(Collectors.toSet());
            push(shard, keys);

            Set<Long> removable = new HashSet<>(ranks.keySet());
            removable.removeAll(pushed);
            Set<Long> removed = new HashSet<>(removable);
            removed.removeAll(keys(shard));
            long beyond = pushed.stream().filter(key -> !ranks.containsKey(key)).count() + ranks.size() - most;
            assertThat(removed).as("time %s", time).hasSize(beyond <= 0 ? 0 : (int) Math.max(beyond, most / 64));
            long highest = removed.stream().mapToLong(ranks::get).max().orElse(0);
            removable.removeAll(removed);
            assertThat(removable).as("time %s", time).allMatch(key -> ranks.getOrDefault(key, -1L) >= highest);
            evicted += removed.size();

            ranks.keySet().removeAll(removed);
            for (long key : pushed) {
                long count = (ranks.getOrDefault(key, 0L) >>> Integer.SIZE) + 1;
                ranks.put(key, (lfu ? count << Integer.SIZE : 0) | time);
            }
            assertThat(keys(shard)).isEqualTo(new TreeSet<>(ranks.keySet()));
        }
        assertThat(evicted).isGreaterThan(Laws.cases(500));
        assertThat(RowPolicy.of(shard).counts().evicted()).isEqualTo(evicted);
    }

    @Test
    void aPushKeepsItsOwnRowsAndTheTableItsLimit() {
        Random random = new Random(3);
        TestShard shard = shard(PolicyOptions.NONE.withLimits(100, 0, false));
        for (int push = 0; push < 300; push++) {
            long[] keys =
                    random.longs(1 + random.nextInt(50), 0, 500).distinct().toArray();
            push(shard, keys);
            assertThat(shard.rows()).isLessThanOrEqualTo(100);
            assertThat(keys(shard)).containsAll(LongStream.of(keys).boxed().toList());
        }
        long[] many = LongStream.range(1000, 1770).toArray();
        push(shard, many); // more than the table holds: in parts
        assertThat(shard.rows()).isLessThanOrEqualTo(100);
        assertThat(keys(shard)).allMatch(key -> key >= 1000);
    }

    /** A shard on a device takes memory for more rows than it has, and counts it. */
    @Test
    void aTableWhoseColumnsDoubleKeepsItsRows() {
        int width = 4;
        TestShard host = PsfTest.of(CountPolicyPsf.bind(new CountPolicy() {}))
                .growing(T, width)
                .optimizer(Optimizers.adam(0.1).create())
                .on(1)
                .shard(T, 0);
        int[] capacity = {0};
        Shard shard = (Shard) Proxy.newProxyInstance(
                Shard.class.getClassLoader(), new Class<?>[] {StoredShard.class}, (self, method, arguments) -> {
                    if (method.getName().equals("bytes")) {
                        capacity[0] = host.rows() > capacity[0] ? Math.max(1024, 2 * host.rows()) : capacity[0];
                        return new ShardBytes(4L * width * capacity[0], 4L * (2 * width + 1) * capacity[0], 0, 0);
                    }
                    try {
                        return method.invoke(host, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        RowPolicy.attach(shard, PolicyOptions.NONE.withLimits(0, 829_472, false), 1, () -> 1_700_000_000);
        for (int push = 0; push < 150; push++) {
            push(shard, host, LongStream.range(100L * push, 100L * (push + 1)).toArray());
        }
        assertThat(host.rows()).isGreaterThan(9000);
    }

    @Test
    void aLimitOfBytesCountsSlotsIndexAndMarks() {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(0, 100_000, false));
        shard.slot("state", 2);
        for (long key = 0; key < 20_000; key += 100) {
            push(shard, LongStream.range(key, key + 100).toArray());
            long marks = 12L * shard.rows();
            long index = 8L * shard.rows() + 8L * 2048;
            assertThat(16L * shard.rows() + marks + index).isLessThanOrEqualTo(100_000);
        }
        assertThat(shard.rows()).isGreaterThan(1400);
    }

    @Test
    void rowsThatNoPushTouchesExpire() {
        TestShard shard = shard(PolicyOptions.NONE.withExpiry(10, Duration.ZERO));
        push(shard, 1, 2);
        for (int push = 0; push < 9; push++) {
            push(shard, 2);
        }
        assertThat(keys(shard)).containsExactly(1L, 2L);
        push(shard, 2); // the tenth without the key 1
        assertThat(keys(shard)).containsExactly(2L);
        push(shard, 1);
        assertThat(shard.values(1).toArray()).containsExactly(1, 1); // a new row
        assertThat(RowPolicy.of(shard).counts().expired()).isEqualTo(1);
    }

    @Test
    void rowsExpireAfterATimeAlsoWithoutPushes() {
        TestCluster cluster = cluster();
        TestShard shard = shard(PolicyOptions.NONE.withExpiry(0, Duration.ofSeconds(160)), cluster);
        push(shard, 1);
        clock.addAndGet(100);
        push(shard, 2);
        assertThat(keys(shard)).containsExactly(1L, 2L);
        clock.addAndGet(70);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(keys(shard)).containsExactly(2L);
        clock.addAndGet(100);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(shard.rows()).isZero();
    }

    /** The timer of the first push runs just after the last one has looked for idle rows. */
    @Test
    void rowsExpireAfterATimeAlsoIfTheLastPushLookedForThemJustBeforeTheTimer() {
        TestCluster cluster = cluster();
        TestShard shard = shard(PolicyOptions.NONE.withExpiry(0, Duration.ofSeconds(160)), cluster);
        push(shard, 1);
        clock.addAndGet(10);
        push(shard, 2);
        cluster.advance(Duration.ofSeconds(10));
        for (int seconds = 0; seconds < 200; seconds += 10) {
            clock.addAndGet(10);
            cluster.advance(Duration.ofSeconds(10));
        }
        assertThat(shard.rows()).isZero();
    }

    /** Rows of a checkpoint without a policy, of an import, or of a handler of a user's own. */
    @Test
    void rowsThatNoPushMadeCountAsTouchedWhenTheyAreFirstSeen() {
        TestShard shard = shard(PolicyOptions.NONE.withExpiry(0, Duration.ofSeconds(160)));
        shard.rows(LongArray.of(1, 2, 3));
        push(shard, 4);
        assertThat(keys(shard)).containsExactly(1L, 2L, 3L, 4L);
        clock.addAndGet(1000);
        shard.rows(LongArray.of(5));
        push(shard, 6);
        assertThat(keys(shard)).containsExactly(5L, 6L);
    }

    @Test
    void lookingUpMakesNoRowAndTouchesNone() {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(2, 0, false));
        push(shard, 1);
        push(shard, 2);
        shard.gather(LongArray.of(1, 1, 9));
        push(shard, 3);
        assertThat(keys(shard)).containsExactly(2L, 3L);
    }

    /** The saved marks of a row, or the total, as the shard of a later time loads them. */
    private interface Saves {
        void to(DataOutputStream out) throws IOException;
    }

    private static DataInput saved(Saves saves) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        saves.to(new DataOutputStream(bytes));
        return new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    }

    @Test
    void theTimeOfAStopBetweenSaveAndLoadExpiresNoRow() throws IOException {
        PolicyOptions options = PolicyOptions.NONE.withExpiry(0, Duration.ofSeconds(100));
        TestShard shard = shard(options);
        push(shard, 1);
        clock.addAndGet(60);
        push(shard, 2);
        clock.addAndGet(20);
        RowMarks before = marks(shard);
        for (int stop = 0; stop < 2; stop++) {
            clock.addAndGet(Duration.ofDays(30).toSeconds());
            shard = shard(options);
            var unused = shard.rows(LongArray.of(1, 2));
            RowMarks from = before;
            marks(shard).loadRow(1, saved(out -> from.saveRow(1, out)));
            marks(shard).loadRow(2, saved(out -> from.saveRow(2, out)));
            marks(shard).loadTotal(saved(from::saveTotal));
            before = marks(shard);
        }
        push(shard, 3);
        assertThat(keys(shard)).containsExactly(1L, 2L, 3L);
        clock.addAndGet(50);
        push(shard, 3);
        assertThat(keys(shard)).as("row 1 is idle for 110 seconds").containsExactly(2L, 3L);
        clock.addAndGet(60);
        push(shard, 3);
        assertThat(keys(shard)).containsExactly(3L);
    }

    @Test
    void aLimitOfZeroIsNone() {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(0, 0, false).withExpiry(0, Duration.ZERO));
        push(shard, LongStream.range(0, 2000).toArray());
        assertThat(shard.rows()).isEqualTo(2000);
        assertThatThrownBy(() -> PolicyOptions.NONE.withLimits(-1, 0, false))
                .hasMessage("rows of a table's policy: -1 (expected: >= 1, or 0 for no limit)");
    }

    private RowMarks marks(TestShard shard) {
        return RowMarks.of(shard, (int) (clock.get() - 1_577_836_800L));
    }

    private static DataInput ints(int... values) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (int value : values) {
            out.writeInt(value);
        }
        return new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    }

    @Test
    void theOldestRowIsStillTheOldestWhenTheNumbersOfPushesEnd() throws IOException {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(3, 0, false));
        push(shard, 1);
        marks(shard).loadTotal(ints(Integer.MAX_VALUE - 3, 0));
        for (long key = 2; key < 40; key++) {
            push(shard, key);
            assertThat(keys(shard)).contains(key);
        }
        assertThat(keys(shard)).containsExactly(37L, 38L, 39L);
    }

    @Test
    void rowsExpireWhenTheNumbersOfPushesEnd() throws IOException {
        TestShard shard = shard(PolicyOptions.NONE.withExpiry(16, Duration.ZERO));
        push(shard, 1);
        marks(shard).loadTotal(ints(Integer.MAX_VALUE - 10, 0));
        push(shard, 1, 2);
        for (int push = 0; push < 14; push++) {
            push(shard, 1);
            assertThat(keys(shard)).containsExactly(1L, 2L);
        }
        for (int push = 0; push < 4; push++) {
            push(shard, 1);
        }
        assertThat(keys(shard)).containsExactly(1L);
    }

    @Test
    void aRowThatWasTouchedMoreOftenThanCanBeCountedIsNotTheLeastFrequent() throws IOException {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(2, 0, true));
        push(shard, 1);
        marks(shard).loadRow(1, ints(1, 0, Integer.MAX_VALUE - 1));
        push(shard, 1);
        push(shard, 1);
        push(shard, 1);
        push(shard, 2);
        push(shard, 3);
        assertThat(keys(shard)).containsExactly(1L, 3L);
    }

    @Test
    void rowsThatAreLoadedWithoutTheTotalAreNotNewerThanLaterPushes() throws IOException {
        TestShard shard = shard(PolicyOptions.NONE.withLimits(2, 0, false));
        shard.rows(LongArray.of(1, 2));
        marks(shard).loadRow(1, ints(100, 0, 1));
        marks(shard).loadRow(2, ints(101, 0, 1));
        push(shard, 3);
        push(shard, 4);
        assertThat(keys(shard)).containsExactly(3L, 4L);
    }

    @Test
    void optionsOutsideTheirRangeAreRefused() {
        assertThatThrownBy(() -> PolicyOptions.NONE.withAdmission(0, 1 << 20))
                .hasMessage("admitAfter of a table's policy: 0 (expected: 1 to 255)");
        assertThatThrownBy(() -> PolicyOptions.NONE.withAdmission(2, 10))
                .hasMessage("sketch of a table's policy: 10 (expected: 1024 bytes to 1 GB)");
        assertThatThrownBy(() -> PolicyOptions.NONE.withExpiry(0, Duration.ofMillis(5)))
                .hasMessage("expiry of a table's policy: PT0.005S (expected: >= 1 second)");
        assertThatThrownBy(() -> PolicyOptions.of(Map.of("rows", "many")))
                .hasMessage("rows of a table's policy: \"many\" (expected: an int64)");
        assertThatThrownBy(() -> PolicyOptions.of(Map.of("most", "1")))
                .hasMessage("option of a table's policy: [most] (expected: none other)");
        PolicyOptions all = PolicyOptions.NONE
                .withAdmission(3, 4096)
                .withExpiry(7, Duration.ofSeconds(8))
                .withLimits(9, 10, true);
        assertThat(PolicyOptions.of(all.texts())).isEqualTo(all);
        PolicyOptions among = PolicyOptions.NONE.withAdmissionAmong(2, 5_000_000);
        assertThat(PolicyOptions.of(among.texts())).isEqualTo(among);
        assertThat(among.sketchBytes(2)).isEqualTo(1 << 26);
        assertThat(among.sketchBytes(5_000_000)).isEqualTo(1 << 10);
        assertThat(PolicyOptions.NONE.texts()).isEmpty();
    }
}
