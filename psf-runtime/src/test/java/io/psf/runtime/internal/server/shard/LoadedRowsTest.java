package io.psf.runtime.internal.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.Reservation;
import io.psf.runtime.spi.store.Store;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A shard asks its store to load the rows of keys before they are accessed. */
final class LoadedRowsTest {
    private static final int WIDTH = 3;

    /** Writes down what it is asked to load: the name, the size of a row, the rows. */
    private static final class Noting implements Store {
        final List<String> loads = new ArrayList<>();

        private record Noted(List<String> loads, String name, ByteBuffer bytes) implements Reservation {
            @Override
            public int take(int wanted) {
                return bytes.capacity();
            }

            @Override
            public void loadRows(int[] rows, int first, int n, int bytesOfRow) {
                loads.add(name + " " + bytesOfRow + " " + Arrays.toString(Arrays.copyOfRange(rows, first, first + n)));
            }

            @Override
            public void loadRange(int begin, int end) {
                loads.add(name + " " + begin + ".." + end);
            }

            @Override
            public void giveUp(long used) {}
        }

        @Override
        public Allocation allocate(String name, int bytes) {
            return reserve(name, bytes);
        }

        @Override
        public Reservation reserve(String name, int bytes) {
            ByteBuffer memory = ByteBuffer.allocateDirect(Math.min(bytes, 1 << 14));
            return new Noted(loads, name, memory.order(ByteOrder.LITTLE_ENDIAN));
        }

        @Override
        public void close() {}

        List<String> since() {
            List<String> now = List.copyOf(loads);
            loads.clear();
            return now;
        }
    }

    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private final Noting store = new Noting();

    private ShardRows rows(TensorInfo tensor) {
        TensorLayout layout = TensorLayout.even(tensor, new int[1]);
        return new ShardRows(new Slice(tensor, 0, layout.range(0), "host", NONE, made -> {}), store);
    }

    @Test
    void aStepLoadsValuesAndSlotsAndAReadLoadsValues() {
        ShardRows rows = rows(new TensorInfo(TensorId.of("w"), 100, WIDTH));
        LongArray keys = LongArray.wrap(new long[] {70, 3, 3});
        int[] into = new int[5];
        rows.rows(keys, into, true);
        assertThat(store.since()).containsExactly("w.0.values 12 [70, 3, 3]");
        rows.slot("sums", 1);
        rows.rows(keys, into, true);
        assertThat(store.since()).containsExactly("w.0.values 12 [70, 3, 3]", "w.0.sums 4 [70, 3, 3]");
        rows.gather(keys, FloatArray.allocate(3 * WIDTH));
        assertThat(store.since()).containsExactly("w.0.values 12 [70, 3, 3]");
        assertThat(rows.row(9, true)).isEqualTo(9);
        assertThat(store.since()).containsExactly("w.0.values 12 [9]");
        rows.load(new int[] {4, 5, 6}, 2);
        assertThat(store.since()).containsExactly("w.0.values 12 [4, 5]");
        rows.storedSlot("sums", 1).read(10, 20);
        assertThat(store.since()).containsExactly("w.0.sums 40..120");
        rows.storedValues().write(new int[] {8, 7, 6}, 2, FloatArray.allocate(2 * WIDTH));
        assertThat(store.since()).containsExactly("w.0.values 12 [8, 7]");
    }

    @Test
    void keysWithoutARowAreNotLoaded() {
        ShardRows rows = rows(new TensorInfo(TensorId.of("g"), TensorInfo.GROWING, WIDTH));
        rows.rows(LongArray.wrap(new long[] {5, 6}), new int[2], true);
        assertThat(store.since()).containsExactly("g.0.values 12 [0, 1]");
        rows.values().fill(2);
        FloatArray into = FloatArray.allocate(3 * WIDTH);
        rows.gather(LongArray.wrap(new long[] {6, 1, 5}), into);
        assertThat(store.since()).containsExactly("g.0.values 12 [1, -1, 0]");
        assertThat(into.toArray()).containsExactly(2, 2, 2, 0, 0, 0, 2, 2, 2);
    }
}
