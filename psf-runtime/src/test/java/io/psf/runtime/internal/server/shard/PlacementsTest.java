package io.psf.runtime.internal.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.HostMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PlacementsTest {
    private static final Store STORE = Stores.inMemory(MemoryLimit.NONE);
    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    /**
     * Makes shards in host memory, at placements of devices.
     *
     * @param there the numbers of the devices that are there
     * @param reason the reason for which others are not used; empty for none
     * @param unavailable the sentences about them
     */
    private record Devices(List<Integer> there, String reason, List<String> unavailable) implements ShardFactory {
        @Override
        public Collection<String> placements(List<Integer> devices) {
            devices.stream()
                    .filter(device -> !there.contains(device) && !reason.isEmpty())
                    .forEach(device -> unavailable.add("device " + device + ": not used, since " + reason));
            return devices.stream()
                    .filter(there::contains)
                    .map(device -> "device:" + device)
                    .toList();
        }

        @Override
        public @Nullable HostMemory hostMemory() {
            return there.contains(0) ? ByteBuffer::allocateDirect : null;
        }

        @Override
        public MadeShard make(Slice slice, Store store, ShardLane lane) {
            return new HostFactory().make(slice, store, lane);
        }
    }

    private static Placements of(List<Integer> devices, Devices... factories) {
        return Placements.of(STORE, devices, factories);
    }

    private static Devices devices(String reason, Integer... there) {
        return new Devices(List.of(there), reason, new ArrayList<>());
    }

    @Test
    void theDevicesThatAServerWasGivenMakePlacements() {
        Placements placements = of(List.of(1, 0), devices("", 0, 1, 2));
        assertThat(placements).hasToString("device:0, device:1, host");
        assertThat(placements.unavailable()).isEmpty();
        assertThat(of(List.of(), devices("", 0))).hasToString("host");
    }

    @Test
    void theHostMemoryIsThatOfTheFirstFactoryThatHasOne() {
        assertThat(of(List.of(0), devices("", 1), devices("", 0)).hostMemory()).isNotNull();
        assertThat(of(List.of(0), devices("", 1)).hostMemory()).isNull();
    }

    @Test
    void aDeviceThatNoFactoryHasIsNamed() {
        assertThat(of(List.of(0)).unavailable())
                .containsExactly(
                        "device 0: not used, since no factory of shards on the class path has it (expected: the"
                                + " jar of handlers-gpu)");
        assertThat(of(List.of(2, 0, 1), devices("", 0)).unavailable())
                .containsExactly("devices 2, 1: not used, since no factory of shards on the class path has them"
                        + " (expected: the jar of handlers-gpu)");
        assertThat(of(List.of()).unavailable()).isEmpty();
    }

    @Test
    void aSliceIsAtThePlacementsThatAreThereInTheOrderOfItsTensor() {
        Placements placements = of(List.of(0, 1), devices("", 0, 1));
        assertThat(placements.alternatives(at("host , device:7,device:1, device:0")))
                .extracting(Slice::placement)
                .containsExactly("host", "device:1", "device:0");
        assertThatThrownBy(() -> placements.alternatives(at("device:7,,device:8")))
                .hasMessage("BAD_REQUEST: placement of tensor \"w\": \"device:7,,device:8\" (expected: one that this"
                        + " server has: device:0, device:1, host)");
    }

    private static Slice at(String placement) {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), 4, 1), new int[1]);
        return new Slice(layout.info(), 0, layout.range(0), placement, NONE, made -> {});
    }

    @Test
    void aFactorySaysItselfWhyADeviceIsNotUsed() {
        assertThat(of(List.of(0, 1), devices("the driver is too old", 0)).unavailable())
                .containsExactly("device 1: not used, since the driver is too old");
    }
}
