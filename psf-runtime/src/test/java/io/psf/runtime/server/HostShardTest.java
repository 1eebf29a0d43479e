package io.psf.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.TensorLayout;
import io.psf.runtime.store.Store;
import io.psf.runtime.store.chronicle.NativeStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Keys and rows of a shard. */
final class HostShardTest {
    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private static HostShard shard(Lane lane, Range range, long rows, int width) {
        return shard(lane, range, rows, width, made -> {});
    }

    private static HostShard shard(Lane lane, Range range, long rows, int width, Node.Fill fill) {
        return shard(lane, range, new TensorInfo(TensorId.of("w"), rows, width), fill, new NativeStore());
    }

    private static HostShard shard(Lane lane, Range range, TensorInfo info, Node.Fill fill, Store store) {
        TensorLayout layout =
                new TensorLayout(info, List.of(0L, range.begin(), range.end(), info.rows()), List.of(0, 0, 0));
        HostNode node = new HostNode(Role.SERVER, store, lane, List.of(lane), null);
        return new HostShard(layout, 1, NONE, fill, store, lane, List::of, node, () -> Path.of("unused"));
    }

    @Test
    void theRowsOfManyKeysAreThoseOfEach() {
        try (Lane lane = new Lane("test")) {
            long first = (1L << 40) + 7;
            HostShard shard = shard(lane, new Range(first, first + 3000), 1L << 41, 3);
            for (int i = 0; i < shard.values().length(); i++) {
                shard.values().set(i, i);
            }
            for (int n : new int[] {0, 1, 511, 512, 513, 2000}) {
                LongArray keys = LongArray.wrap(
                        new Random(n).longs(n, first, first + 3000).toArray());
                int[] rows = shard.rows(keys);
                FloatArray gathered = shard.gather(keys);
                assertThat(rows).hasSize(n);
                assertThat(gathered.length()).isEqualTo(3 * n);
                for (int i = 0; i < n; i++) {
                    assertThat(rows[i]).isEqualTo(shard.row(keys.get(i)));
                    assertThat(gathered.slice(3 * i, 3 * i + 3)).isEqualTo(shard.values(keys.get(i)));
                }
            }
        }
    }

    @Test
    void aKeyOfAnotherShardIsNamedWhereverItStands() {
        try (Lane lane = new Lane("test")) {
            HostShard shard = shard(lane, new Range(10, 20), 30, 2);
            for (long wrong : new long[] {9, 20, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE + 15}) {
                for (int at : new int[] {0, 511, 512, 999}) {
                    long[] keys = new Random(at).longs(1000, 10, 20).toArray();
                    keys[at] = wrong;
                    assertThatThrownBy(() -> shard.rows(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                    assertThatThrownBy(() -> shard.gather(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                }
            }
        }
    }

    /** First values are the key's. */
    private static final Node.Fill KEYS = new Node.Fill() {
        @Override
        public void fill(Shard shard) {}

        @Override
        public void fillRows(Shard shard, int begin, int end) {
            assertThat(end).isEqualTo(shard.rows());
            for (int row = begin; row < end; row++) {
                assertThat(shard.values().get(row * shard.width())).isZero();
                shard.values().set(row * shard.width(), (float) shard.key(row));
            }
        }
    };

    private static HostShard growing(Lane lane, int width) {
        return shard(lane, new Range(0, TensorInfo.GROWING), TensorInfo.GROWING, width, KEYS);
    }

    @Test
    void aGrowingTableHasARowForEachKeyInTheOrderInWhichTheyCame() {
        try (Lane lane = new Lane("test")) {
            HostShard shard = growing(lane, 2);
            Map<Long, Integer> expected = new LinkedHashMap<>();
            Random random = new Random(3);
            for (int round = 0; round < 150; round++) {
                boolean wide = round % 2 == 0;
                long[] keys = LongStream.generate(() -> wide ? random.nextLong() : random.nextInt(3000) - 1500)
                        .limit(random.nextInt(3000))
                        .toArray();
                int[] rows = shard.rows(LongArray.wrap(keys));
                for (int i = 0; i < keys.length; i++) {
                    assertThat(rows[i]).isEqualTo(expected.computeIfAbsent(keys[i], key -> expected.size()));
                }
            }
            assertThat(shard.rows()).isEqualTo(expected.size()).isGreaterThan(100_000);
            expected.forEach((key, row) -> {
                assertThat(shard.key(row)).isEqualTo(key);
                assertThat(shard.values(key)).isEqualTo(FloatArray.of((float) (long) key, 0));
            });
            assertThatThrownBy(() -> shard.key(expected.size())).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void keyZeroIsNotTakenForMemoryThatNobodyHasWritten() {
        try (Lane lane = new Lane("test")) {
            assertThat(growing(lane, 2).rows(LongArray.of(77, 0, 5, 0))).containsExactly(0, 1, 2, 1);
        }
    }

    @Test
    void slotsGrowWithTheRowsAndBeginWithZeros() {
        try (Lane lane = new Lane("test")) {
            HostShard shard = growing(lane, 2);
            shard.slot("early", 3).fill(1);
            for (int key = 0; key < 5000; key++) {
                int row = shard.row(key);
                assertThat(shard.slot("early", 3).slice(3 * row, 3 * row + 3)).isEqualTo(FloatArray.of(0, 0, 0));
                shard.slot("early", 3).fill(key);
            }
            assertThat(shard.slot("late", 1)).isEqualTo(FloatArray.allocate(5000));
            assertThat(shard.slots()).containsOnlyKeys("early", "late");
            assertThatThrownBy(() -> shard.slot("early", 4))
                    .hasMessageContaining("width of slot \"early\": 4 (expected: 3");
        }
    }

    /** Has room for 250 floats, and some bytes of the next. */
    private static final class Narrow implements Store {
        private final Store memory = new NativeStore();

        @Override
        public ByteBuffer allocate(String name, int bytes) {
            return memory.allocate(name, bytes);
        }

        @Override
        public ByteBuffer reserve(String name, int bytes) {
            return memory.reserve(name, Math.min(bytes, 1003));
        }

        @Override
        public void close() {}
    }

    @Test
    void aSlotWithRoomForFewerRowsIsTheLimitAndNothingElseHappens() {
        try (Lane lane = new Lane("test")) {
            TensorInfo info = new TensorInfo(TensorId.of("w"), TensorInfo.GROWING, 1);
            HostShard shard = shard(lane, new Range(0, info.rows()), info, KEYS, new Narrow());
            shard.slot("wide", 64);
            assertThat(shard.rows(LongArray.of(1, 2, 3))).containsExactly(0, 1, 2);
            assertThatThrownBy(() -> shard.row(4))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("rows of w.1: 4 (expected: at most 3; use more slices)");
            assertThat(shard.rows()).isEqualTo(3);
            assertThat(shard.row(2)).isEqualTo(1);
            assertThat(shard.slot("wide", 64).length()).isEqualTo(3 * 64);
            assertThatThrownBy(() -> shard.slot("wider", 128))
                    .hasMessageContaining("rows of w.1.wider: 3 (expected: at most 1; use more slices)");
            assertThat(shard.slots()).containsOnlyKeys("wide");
        }
    }

    @Test
    void aForgottenRowIsMadeAnew() {
        try (Lane lane = new Lane("test")) {
            HostShard shard = growing(lane, 2);
            shard.rows(LongArray.wrap(LongStream.range(0, 3000).toArray()));
            shard.values().fill(7);
            shard.slot("state", 1).fill(7);
            shard.removeRows();
            assertThat(shard.rows()).isZero();
            assertThat(shard.values().length()).isZero();
            assertThat(shard.gather(LongArray.of(2999, 0, 5)).slice(2, 4)).isEqualTo(FloatArray.of(0, 0));
            shard.removeRows();
            assertThat(shard.gather(LongArray.of(2999, 5))).isEqualTo(FloatArray.of(2999, 0, 5, 0));
            assertThat(shard.slot("state", 1)).isEqualTo(FloatArray.of(0, 0));
            HostShard fixed = shard(lane, new Range(0, 3), 3, 2);
            assertThatThrownBy(fixed::removeRows)
                    .hasMessageContaining("tensor w: [3, 2] (expected: a table that grows)");
        }
    }

    @Test
    void aKeyWhoseHashIsAnotherShardsIsNamedBeforeAnyRowIsMade() {
        try (Lane lane = new Lane("test")) {
            Range lower = new Range(0, TensorInfo.GROWING / 2);
            HostShard shard = shard(lane, lower, TensorInfo.GROWING, 2);
            TensorInfo info = shard.spec();
            long[] keys = LongStream.range(0, 1000)
                    .filter(key -> lower.contains(TensorLayout.position(info, key)))
                    .limit(400)
                    .toArray();
            long other = LongStream.range(0, 1000)
                    .filter(key -> !shard.owns(key))
                    .findFirst()
                    .getAsLong();
            keys[300] = other;
            assertThatThrownBy(() -> shard.rows(LongArray.wrap(keys)))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining(
                            "key: " + other + " (expected: one whose place, by its hash, is in " + lower + ")");
            assertThat(shard.rows()).isZero();
        }
    }

    @Test
    void anIndexThatIsFullSaysSoAndKeepsWhatItHas() {
        GrowingIndex index = new GrowingIndex("w.1", new Range(0, TensorInfo.GROWING), new NativeStore(), 2000);
        long[] keys = LongStream.range(0, 512).toArray();
        int[] rows = new int[512];
        for (int round = 0; round < 3; round++) {
            index.rows(keys, 512, rows, 0);
            keys = LongStream.of(keys).map(key -> key + 512).toArray();
        }
        long[] last = keys;
        assertThatThrownBy(() -> index.rows(last, 512, rows, 0))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("rows of w.1: 2001 (expected: at most 2000; use more slices)");
        index.rows(LongStream.range(0, 2000).toArray(), 512, rows, 0);
        assertThat(rows).startsWith(0, 1, 2).endsWith(511);
        assertThat(index.rows()).isEqualTo(2000);
    }
}
