package io.psf.runtime.internal.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Optimizer;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.FramePool;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The columns of a shard in host memory, as saving and loading access them. */
final class StoredColumnTest {
    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private static StoredShard shard(Lane lane, long rows) {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), rows, 2), new int[] {0});
        Placements placements = Placements.host(Stores.inMemory(MemoryLimit.NONE));
        HostNode node = new HostNode("test", Role.SERVER, placements, lane, List.of(lane), null);
        assertThat(node.handled().create(layout, 0, NONE, made -> {})).isTrue();
        return (StoredShard)
                Objects.requireNonNull(node.held().get(layout.info().id().number(), 0))
                        .shard();
    }

    @ParameterizedTest
    @ValueSource(longs = {5, TensorInfo.GROWING})
    void rowsAreReadAndWrittenInPlace(long rows) {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = shard(lane, rows);
            shard.rows(LongArray.of(0, 1, 2, 3, 4));
            StoredColumn values = shard.storedValues();
            StoredColumn state = shard.storedSlot("state", 1);
            assertThat(values.width()).isEqualTo(2);
            assertThat(state.width()).isEqualTo(1);
            values.write(1, FloatArray.of(1, 2, 3, 4));
            values.write(new int[] {4, 0, 77}, 2, FloatArray.of(5, 6, 7, 8));
            state.write(new int[] {3, 1}, 2, FloatArray.of(9, 10));
            assertThat(shard.values()).isEqualTo(FloatArray.of(7, 8, 1, 2, 3, 4, 0, 0, 5, 6));
            assertThat(shard.slot("state", 1)).isEqualTo(FloatArray.of(0, 10, 0, 9, 0));
            assertThat(values.read(2, 2)).isEqualTo(FloatArray.of(3, 4, 0, 0));
            assertThat(state.read(1, 1)).isEqualTo(FloatArray.of(10));
            FloatArray view = values.read(4, 1);
            shard.values().set(8, 11);
            assertThat(view).as("a view").isEqualTo(FloatArray.of(11, 6));
            assertThatThrownBy(() -> values.read(4, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> values.write(4, FloatArray.allocate(4)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> values.write(new int[] {5}, 1, FloatArray.allocate(2)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            values.clear();
            assertThat(shard.values()).isEqualTo(FloatArray.allocate(10));
            assertThat(state.read(0, 5)).isEqualTo(FloatArray.of(0, 10, 0, 9, 0));
        }
    }

    @Test
    void aColumnHasTheRowsThatExistAtTheCall() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = shard(lane, TensorInfo.GROWING);
            StoredColumn values = shard.storedValues();
            StoredColumn state = shard.storedSlot("state", 3);
            assertThat(values.read(0, 0).length()).isZero();
            values.clear();
            for (int key = 0; key < 3000; key++) {
                shard.row(key);
                values.write(key, FloatArray.of(key, -key));
                state.write(new int[] {key}, 1, FloatArray.of(key, 0, 1));
            }
            assertThat(values.read(2999, 1)).isEqualTo(FloatArray.of(2999, -2999));
            assertThat(state.read(2998, 2)).isEqualTo(FloatArray.of(2998, 0, 1, 2999, 0, 1));
            shard.removeRows(LongArray.of(2999));
            assertThatThrownBy(() -> values.read(2999, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void slotsAreZerosAtFirstAndHaveOneWidth() {
        try (Lane lane = new Lane("test", new FramePool(0))) {
            StoredShard shard = shard(lane, 5);
            assertThat(shard.storedSlots()).isEmpty();
            assertThat(shard.storedSlot("state", 3).read(0, 5)).isEqualTo(FloatArray.allocate(15));
            shard.slot("other", 1).fill(2);
            assertThat(shard.storedSlots()).containsOnlyKeys("other", "state");
            assertThat(Objects.requireNonNull(shard.storedSlots().get("other")).read(4, 1))
                    .isEqualTo(FloatArray.of(2));
            assertThatThrownBy(() -> shard.storedSlot("state", 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("width of slot \"state\": 2 (expected: 3, as it was created)");
        }
    }
}
