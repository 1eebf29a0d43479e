package io.psf.runtime.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.store.Store;
import io.psf.runtime.store.chronicle.NativeStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacementsTest {
    private static final Store STORE = new NativeStore();

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
    void aFactorySaysItselfWhyADeviceIsNotUsed() {
        assertThat(of(List.of(0, 1), devices("the driver is too old", 0)).unavailable())
                .containsExactly("device 1: not used, since the driver is too old");
    }
}
