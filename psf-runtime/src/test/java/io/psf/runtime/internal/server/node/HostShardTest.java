package io.psf.runtime.internal.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.CallInfo;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.api.spi.StoredShard;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.Reservation;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Keys and rows of a shard. */
final class HostShardTest {
    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private static StoredShard shard(Lane lane, Range range, long rows, int width) {
        return shard(lane, range, rows, width, made -> {});
    }

    private static StoredShard shard(Lane lane, Range range, long rows, int width, Node.Fill fill) {
        return shard(
                lane, range, new TensorInfo(TensorId.of("w"), rows, width), fill, Stores.inMemory(MemoryLimit.NONE));
    }

    private static StoredShard shard(Lane lane, Range range, TensorInfo info, Node.Fill fill, Store store) {
        TensorLayout layout =
                new TensorLayout(info, List.of(0L, range.begin(), range.end(), info.rows()), List.of(0, 0, 0));
        return shard(node(lane, store), layout, 1, fill);
    }

    private static HostNode node(Lane lane, Store store) {
        return new HostNode("test", Role.SERVER, Placements.host(store), lane, List.of(lane), null);
    }

    private static StoredShard shard(HostNode node, TensorLayout layout, int slice, Node.Fill fill) {
        assertThat(node.handled().create(layout, slice, NONE, fill)).isTrue();
        return (StoredShard) onLane(node, layout, slice).shard();
    }

    private static LaneShard onLane(HostNode node, TensorLayout layout, int slice) {
        return Objects.requireNonNull(node.held().get(layout.info().id().number(), slice));
    }

    @Test
    void theRowsOfManyKeysAreThoseOfEach() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            long first = (1L << 40) + 7;
            StoredShard shard = shard(lane, new Range(first, first + 3000), 1L << 41, 3);
            for (int i = 0; i < shard.values().length(); i++) {
                shard.values().set(i, i);
            }
            for (int n : new int[] {0, 1, 511, 512, 513, 2000}) {
                LongArray keys = LongArray.wrap(
                        new Random(n).longs(n, first, first + 3000).toArray());
                int[] rows = shard.rows(keys);
                FloatArray gathered = shard.gather(keys);
                assertThat(rows).hasSize(n);
                assertThat(shard.gatherForAnswer(keys)).isEqualTo(gathered);
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
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = shard(lane, new Range(10, 20), 30, 2);
            for (long wrong : new long[] {9, 20, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE + 15}) {
                for (int at : new int[] {0, 511, 512, 999}) {
                    long[] keys = new Random(at).longs(1000, 10, 20).toArray();
                    keys[at] = wrong;
                    assertThatThrownBy(() -> shard.rows(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                    assertThatThrownBy(() -> shard.gatherForAnswer(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                    assertThatThrownBy(() -> shard.gather(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                }
            }
        }
    }

    /** Also of rows that nothing is written to. */
    @Test
    void rowsThatAreMadeOrMovedAreMarked() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            Range all = new Range(0, TensorInfo.GROWING);
            StoredShard shard = shard(lane, all, TensorInfo.GROWING, 2); // whose rows begin with zeros
            int[] rows = shard.rows(LongArray.of(10, 20, 30));
            RowWrites writes = Objects.requireNonNull(shard.writes());
            assertThat(writes.take()).isNull();
            writes.begin();
            assertThat(shard.row(40)).isEqualTo(3);
            assertThat(shard.rows(LongArray.of(20, 50))).containsExactly(rows[1], 4);
            assertThat(shard.slot("new", 3).get(0)).isZero();
            RowWrites.Taken made = Objects.requireNonNull(writes.take());
            assertThat(made.rows().stream()).containsExactly(3, 4);
            assertThat(made.removed()).isEmpty();
            assertThat(shard.removeRows(LongArray.of(20, 60))).isEqualTo(1);
            RowWrites.Taken moved = Objects.requireNonNull(writes.take());
            assertThat(moved.rows().stream()).containsExactly(rows[1]); // key 50 has it now
            assertThat(moved.removed()).containsExactly(20);
            shard.removeRows();
            assertThat(writes.take()).isNull();
        }
    }

    @Test
    void answersOfTheSameTurnHaveRowsOfTheirOwn() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = shard(lane, new Range(0, 10), 10, 2);
            for (int i = 0; i < 20; i++) {
                shard.values().set(i, i);
            }
            FloatArray first = shard.gatherForAnswer(LongArray.of(3, 1));
            FloatArray second = shard.gatherForAnswer(LongArray.of(9, 0));
            assertThat(first).isEqualTo(FloatArray.of(6, 7, 2, 3));
            assertThat(second).isEqualTo(FloatArray.of(18, 19, 0, 1));
        }
    }

    /** Returns the bytes of the heap that are in use, once those of nodes that have ended are free. */
    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int unchanged = 0; unchanged < 2; ) {
            System.gc();
            long now = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            unchanged = Math.abs(now - used) < 1_000_000 ? unchanged + 1 : 0;
            used = now;
            LockSupport.parkNanos(5_000_000); // ends of threads release more
        }
        return used;
    }

    /** Returns the bytes of the heap for each of many shards, and what other threads have taken meanwhile. */
    private static long bytesOfAShard() {
        int n = 20_000;
        try (Lane lane = new Lane("test", new FramePool(0))) {
            TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), 4L * n, 1), new int[n]);
            Placements placements = Placements.host(Stores.inMemory(MemoryLimit.NONE));
            HostNode node = node(lane, Stores.inMemory(MemoryLimit.NONE));
            List<LaneShard> shards = new ArrayList<>(n);
            long before = usedHeap();
            for (int i = 0; i < n; i++) {
                Slice slice = new Slice(layout.info(), i, layout.range(i), Node.HOST, NONE, made -> {});
                LaneShard run = new LaneShard(layout, slice, lane, node.held(), of -> placements.make(slice, of));
                Shard shard = run.shard();
                shards.add(run);
                assertThat(shard.row(4L * i + 2)).isEqualTo(2);
            }
            long each = (usedHeap() - before) / n;
            assertThat(shards).hasSize(n);
            return each;
        }
    }

    @Test
    void aShardTakesAboutAKilobyteOfTheHeap() {
        long[] measured = LongStream.generate(HostShardTest::bytesOfAShard)
                .limit(3)
                .sorted()
                .toArray();
        assertThat(measured[1])
                .as("the median of %s, in bytes of the heap for each shard", Arrays.toString(measured))
                .isBetween(500L, 1100L); // 768 alone, 1031 after the other tests, on JDK 17
    }

    /** First values are the key's. */
    private static final Node.Fill KEYS = new Node.Fill() {
        @Override
        public void fill(Shard shard) {}

        @Override
        public void fillRow(long key, FloatArray row) {
            assertThat(row).isEqualTo(FloatArray.allocate(row.length()));
            row.set(0, (float) key);
        }
    };

    private static StoredShard growing(Lane lane, int width) {
        return shard(lane, new Range(0, TensorInfo.GROWING), TensorInfo.GROWING, width, KEYS);
    }

    @Test
    void aGrowingTableHasARowForEachKeyInTheOrderInWhichTheyCame() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
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
        try (Lane lane = new Lane("test", new FramePool(0))) {
            assertThat(growing(lane, 2).rows(LongArray.of(77, 0, 5, 0))).containsExactly(0, 1, 2, 1);
        }
    }

    @Test
    void slotsGrowWithTheRowsAndBeginWithZeros() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
            shard.slot("early", 3).fill(1);
            for (int key = 0; key < 5000; key++) {
                int row = shard.row(key);
                assertThat(shard.slot("early", 3).slice(3 * row, 3 * row + 3)).isEqualTo(FloatArray.of(0, 0, 0));
                shard.slot("early", 3).fill(key);
            }
            assertThat(shard.slot("late", 1)).isEqualTo(FloatArray.allocate(5000));
            assertThat(shard.storedSlots()).containsOnlyKeys("early", "late");
            assertThatThrownBy(() -> shard.slot("early", 4))
                    .hasMessageContaining("width of slot \"early\": 4 (expected: 3");
        }
    }

    /** Has memory for 250 floats, and some bytes of the next. */
    private static final class Narrow implements Store {
        private final Store memory = Stores.inMemory(MemoryLimit.NONE);

        @Override
        public Allocation allocate(String name, int bytes) {
            return memory.allocate(name, bytes);
        }

        @Override
        public Reservation reserve(String name, int bytes) {
            return memory.reserve(name, Math.min(bytes, 1003));
        }

        @Override
        public void close() {}
    }

    @Test
    void aSlotWithRoomForFewerRowsIsTheLimitAndNothingElseHappens() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            TensorInfo info = new TensorInfo(TensorId.of("w"), TensorInfo.GROWING, 1);
            StoredShard shard = shard(lane, new Range(0, info.rows()), info, KEYS, new Narrow());
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
            assertThat(shard.storedSlots()).containsOnlyKeys("wide");
        }
    }

    @Test
    void aForgottenRowIsMadeAnew() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
            shard.rows(LongArray.wrap(LongStream.range(0, 3000).toArray()));
            shard.values().fill(7);
            shard.slot("state", 1).fill(7);
            shard.removeRows();
            assertThat(shard.rows()).isZero();
            assertThat(shard.values().length()).isZero();
            shard.rows(LongArray.of(2999, 0, 5));
            assertThat(shard.gather(LongArray.of(2999, 0, 5)).slice(2, 4)).isEqualTo(FloatArray.of(0, 0));
            shard.removeRows();
            shard.rows(LongArray.of(2999, 5));
            assertThat(shard.gather(LongArray.of(2999, 5))).isEqualTo(FloatArray.of(2999, 0, 5, 0));
            assertThat(shard.slot("state", 1)).isEqualTo(FloatArray.of(0, 0));
            StoredShard fixed = shard(lane, new Range(0, 3), 3, 2);
            assertThatThrownBy(fixed::removeRows)
                    .hasMessageContaining("tensor w: [3, 2] (expected: a table that grows)");
        }
    }

    /** Rows of keys by a model: the last row takes the number of one that is removed. */
    @Test
    void rowsThatAreRemovedAndMadeAgainAgreeWithAModel() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
            List<Long> order = new ArrayList<>();
            Map<Long, Integer> rows = new HashMap<>();
            Random random = new Random(5);
            for (int round = 0; round < 100; round++) {
                boolean wide = round % 3 == 0;
                long[] keys = LongStream.generate(() -> wide ? random.nextLong() : random.nextInt(4000) - 2000)
                        .limit(random.nextInt(2000))
                        .toArray();
                if (random.nextInt(3) > 0) {
                    for (int row : shard.rows(LongArray.wrap(keys))) {
                        shard.slot("mark", 1).set(row, (float) shard.key(row));
                    }
                    for (long key : keys) {
                        rows.computeIfAbsent(key, k -> {
                            order.add(k);
                            return order.size() - 1;
                        });
                    }
                } else {
                    if (wide && !order.isEmpty()) {
                        keys = LongStream.range(0, random.nextInt(order.size() + 1))
                                .map(i -> order.get(random.nextInt(order.size())))
                                .toArray();
                    }
                    int before = order.size();
                    for (long key : keys) {
                        Integer row = rows.remove(key);
                        if (row != null) {
                            long last = order.remove(order.size() - 1);
                            if (last != key) {
                                order.set(row, last);
                                rows.put(last, row);
                            }
                        }
                    }
                    assertThat(shard.removeRows(LongArray.wrap(keys))).isEqualTo(before - order.size());
                }
                assertThat(shard.rows()).as("round %s", round).isEqualTo(order.size());
                int[] found = new int[keys.length];
                int there = shard.find(LongArray.wrap(keys), found);
                int expected = 0;
                for (int i = 0; i < keys.length; i++) {
                    int row = rows.getOrDefault(keys[i], -1);
                    assertThat(found[i]).isEqualTo(row);
                    assertThat(shard.find(keys[i])).isEqualTo(row);
                    expected += row < 0 ? 0 : 1;
                }
                assertThat(there).isEqualTo(expected);
                assertThat(shard.rows()).as("finding makes none").isEqualTo(order.size());
            }
            for (int row = 0; row < order.size(); row++) {
                long key = order.get(row);
                assertThat(shard.key(row)).isEqualTo(key);
                assertThat(shard.find(key)).isEqualTo(row);
                assertThat(shard.values(key)).isEqualTo(FloatArray.of((float) key, 0));
                assertThat(shard.slot("mark", 1).get(row)).isEqualTo((float) key);
            }
        }
    }

    @Test
    void rowsMadeAfterARemovalBeginAnewInTheMemoryOfTheOld() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
            shard.rows(LongArray.of(1, 2, 3));
            shard.values().fill(9);
            shard.slot("state", 1).fill(9);
            assertThat(shard.removeRows(LongArray.of(2, 7, 2))).isEqualTo(1);
            assertThat(shard.rows(LongArray.of(1, 3))).containsExactly(0, 1);
            assertThat(shard.row(2)).isEqualTo(2);
            assertThat(shard.values()).isEqualTo(FloatArray.of(9, 9, 9, 9, 2, 0));
            assertThat(shard.slot("state", 1)).isEqualTo(FloatArray.of(9, 9, 0));
            assertThatThrownBy(() -> shard(lane, new Range(0, 3), 3, 2).removeRows(LongArray.of(1)))
                    .hasMessageContaining("tensor w: [3, 2] (expected: a table that grows)");
        }
    }

    @Test
    void gatheringAnswersFirstValuesAndMakesNoRow() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = growing(lane, 2);
            assertThat(shard.gather(LongArray.of(7, 0))).isEqualTo(FloatArray.of(7, 0, 0, 0));
            assertThat(shard.rows()).isZero();
            shard.values(5).fill(1);
            assertThat(shard.gather(LongArray.of(7, 5, 0, 5))).isEqualTo(FloatArray.of(7, 0, 1, 1, 0, 0, 1, 1));
            assertThat(shard.gatherForAnswer(LongArray.of(7, 5, 0, 5)))
                    .isEqualTo(FloatArray.of(7, 0, 1, 1, 0, 0, 1, 1));
            assertThat(shard.gatherForAnswer(LongArray.of(5, 5))).isEqualTo(FloatArray.of(1, 1, 1, 1));
            assertThat(shard.rows()).isEqualTo(1);
            assertThat(shard.find(0)).isEqualTo(-1);
            assertThat(shard.find(5)).isZero();
            StoredShard fixed = shard(lane, new Range(10, 20), 30, 2);
            assertThat(fixed.find(12)).isEqualTo(2);
            assertThatThrownBy(() -> fixed.find(9)).hasMessageContaining("key: 9 (expected: a row in [10, 20))");
        }
    }

    @Test
    void aReadOnlyCallChangesNothing() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            TensorLayout layout =
                    TensorLayout.even(new TensorInfo(TensorId.of("w"), TensorInfo.GROWING, 2), new int[] {0});
            HostNode node = node(lane, Stores.inMemory(MemoryLimit.NONE));
            StoredShard shard = shard(node, layout, 0, KEYS);
            StoredShard other = growing(lane, 2);
            shard.rows(LongArray.of(1, 2));
            LaneShard run = onLane(node, layout, 0);
            String there = shard.attachment(String.class, () -> "there");
            shard.slot("there", 1).fill(3);
            run.beginWork(new CallInfo(0, 1, 0), "acme.reads");
            assertThat(shard.attachment(String.class, () -> "another")).isSameAs(there);
            assertThat(shard.slot("there", 1)).isEqualTo(FloatArray.of(3, 3));
            assertThat(shard.rows(LongArray.of(2, 1, 2))).containsExactly(1, 0, 1);
            for (StoredShard each : List.of(shard, other)) {
                assertThatThrownBy(() -> each.rows(LongArray.of(77, 78)))
                        .isInstanceOf(PsException.class)
                        .hasMessage("OUT_OF_RANGE: key: 77 (expected: a key that has a row: the function is readOnly,"
                                + " and creates no rows; Shard.find tells which keys have one)");
                assertThatThrownBy(() -> each.values(77)).hasMessageContaining("key: 77");
                assertThatThrownBy(() -> each.row(77)).hasMessageContaining("key: 77");
                assertThatThrownBy(() -> each.removeRows(LongArray.of(1))).hasMessageContaining("readOnly");
                assertThatThrownBy(each::removeRows)
                        .hasMessage(
                                "HANDLER_FAILED: change by \"acme.reads\": removal of rows (expected: none, since the"
                                        + " function is readOnly)");
                assertThatThrownBy(() -> each.attachment(Integer.class, () -> 1))
                        .hasMessageContaining("change by \"acme.reads\": attachment java.lang.Integer (expected: none");
                assertThat(each.findAttachment(Integer.class, () -> 1)).isEmpty();
                assertThatThrownBy(() -> each.slot("more", 1)).hasMessageContaining("slot \"more\" (expected: none");
                assertThatThrownBy(() -> each.storedSlot("more", 1)).hasMessageContaining("slot \"more\" (expected");
                assertThatThrownBy(() -> each.setOptimizer(NONE)).hasMessageContaining("another optimizer (expected");
            }
            run.end();
            assertThat(shard.rows()).isEqualTo(2);
            assertThat(other.rows()).isZero();
            assertThat(shard.row(77)).isEqualTo(2);
            assertThat(shard.attachment(Integer.class, () -> 1)).isEqualTo(1);
            assertThat(shard.storedSlots()).containsOnlyKeys("there");
        }
    }

    /** Has as many bytes for what grows, in each array, as the test says. */
    private static final class Full implements Store {
        private final Store memory = Stores.inMemory(MemoryLimit.NONE);
        private int free = 1000;

        private record Part(Full store, Reservation all) implements Reservation {
            @Override
            public ByteBuffer bytes() {
                return all.bytes();
            }

            @Override
            public int take(int bytes) {
                if (bytes > store.free) {
                    throw new PsException(PsException.Code.STORAGE, "full");
                }
                return bytes;
            }

            @Override
            public void giveUp(long used) {
                all.giveUp(used);
            }
        }

        @Override
        public Allocation allocate(String name, int bytes) {
            return memory.allocate(name, bytes);
        }

        @Override
        public Reservation reserve(String name, int bytes) {
            return new Part(this, memory.reserve(name, bytes));
        }

        @Override
        public void close() {}
    }

    @Test
    void aFullDiskRefusesNewRowsAndServesTheOthers() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            TensorInfo info = new TensorInfo(TensorId.of("w"), TensorInfo.GROWING, 2);
            Full store = new Full();
            StoredShard shard = shard(lane, new Range(0, info.rows()), info, KEYS, store);
            shard.slot("state", 10);
            long[] keys = LongStream.range(1, 26).toArray(); // 25 rows of 40 bytes
            shard.rows(LongArray.wrap(keys));
            assertThatThrownBy(() -> shard.row(77)).hasMessage("STORAGE: full");
            assertThat(shard.rows()).isEqualTo(25);
            assertThat(shard.find(77)).isEqualTo(-1);
            assertThat(shard.gather(LongArray.of(25, 77))).isEqualTo(FloatArray.of(25, 0, 77, 0));
            assertThatThrownBy(() -> shard.slot("wider", 11)).hasMessage("STORAGE: full");
            assertThat(shard.storedSlots()).containsOnlyKeys("state");
            shard.removeRows(LongArray.of(3));
            assertThat(shard.row(78)).isEqualTo(24);
            store.free = 1040;
            assertThat(shard.row(77)).isEqualTo(25);
        }
    }

    @Test
    void aKeyWhoseHashIsAnotherShardsIsNamedBeforeAnyRowIsMade() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            Range lower = new Range(0, TensorInfo.GROWING / 2);
            StoredShard shard = shard(lane, lower, TensorInfo.GROWING, 2);
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
                    .hasMessageContaining("key: " + other + " (expected: a key whose hash is in " + lower + ")");
            assertThat(shard.rows()).isZero();
            keys[300] = keys[0];
            shard.rows(LongArray.wrap(keys));
            keys[300] = other;
            int rows = shard.rows();
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> shard.removeRows(LongArray.wrap(keys)),
                    () -> shard.gather(LongArray.wrap(keys)),
                    () -> shard.find(LongArray.wrap(keys), new int[400]),
                    () -> shard.find(other))) {
                assertThatThrownBy(call).hasMessageContaining("key: " + other + " (expected: a key whose hash");
            }
            assertThat(shard.rows()).isEqualTo(rows);
        }
    }
}
