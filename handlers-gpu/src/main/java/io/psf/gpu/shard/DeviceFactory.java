package io.psf.gpu.shard;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.gpu.driver.Cuda;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.PinnedSlabs;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.HostMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates shards in the memory of a server's devices. The placement {@code device:0} is the device of that number. The
 * placement {@code device} distributes the slices over all devices of the server, in turns.
 */
public final class DeviceFactory implements ShardFactory {
    private static final String NUMBERED = Node.DEVICE + ":";

    private final List<Device> devices = new ArrayList<>();
    private final List<String> unavailable = new ArrayList<>();
    /** The number of slices that placement {@code device} has distributed so far. */
    private final AtomicInteger next = new AtomicInteger();
    /**
     * Of the lane that this thread runs: the device of each slice number, as placement {@code device} chose it. Tensors
     * beside each other have the same lanes, so their slices of one number are on the same device.
     */
    private final ThreadLocal<Map<Integer, Device>> ofSlices = ThreadLocal.withInitial(HashMap::new);

    @Override
    public Collection<String> placements(List<Integer> numbers) {
        List<String> placements = new ArrayList<>();
        for (int number : numbers) {
            Optional<String> reason = open(number);
            if (reason.isPresent()) {
                unavailable.add("device " + number + ": not used, since " + reason.get());
            } else {
                placements.add(NUMBERED + number);
            }
        }
        if (!placements.isEmpty()) {
            placements.add(Node.DEVICE);
        }
        return placements;
    }

    /** Opens a device. Returns the reason why it cannot be used, as a clause for the log; empty if it can. */
    private Optional<String> open(int number) {
        Optional<String> reason = Cuda.unavailable();
        if (reason.isPresent()) {
            return reason;
        }
        try {
            Device device = Device.of(number);
            if (device.tooOld().isEmpty()) {
                device.use();
                KernelSource.builtin().load(device);
                devices.add(device);
            }
            return device.tooOld();
        } catch (PsException e) {
            return Optional.of(e.detail());
        }
    }

    @Override
    public List<String> unavailable() {
        return List.copyOf(unavailable);
    }

    @Override
    public Optional<String> lost() {
        return devices.stream().map(Device::lost).flatMap(Optional::stream).findFirst();
    }

    /** Returns true: a device's context is current on one thread, and a stream is used by one thread. */
    @Override
    public boolean pinsLane() {
        return true;
    }

    @Override
    public @Nullable HostMemory hostMemory() {
        if (devices.isEmpty()) {
            return null;
        }
        return new PinnedSlabs(devices.get(0))::allocate;
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        if (slice.tensor().types().isStochastic()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "rounding of tensor \"" + slice.tensor().id() + "\" at " + slice.placement()
                            + ": STOCHASTIC (expected: to the nearest; threads of a device have no common sequence of"
                            + " random numbers)");
        }
        DeviceLane ofDevice = DeviceLane.acquire(device(slice));
        ShardMemory memory = new ShardMemory(ofDevice.workspace());
        boolean made = false;
        try {
            MadeShard shard = new CudaShard(slice, ofDevice, memory, lane);
            made = true;
            return shard;
        } finally {
            if (!made) {
                memory.freeAll();
                ofDevice.release();
            }
        }
    }

    private Device device(Slice slice) {
        String placement = slice.placement();
        if (placement.equals(Node.DEVICE)) {
            return ofSlices.get()
                    .computeIfAbsent(
                            slice.slice(), n -> devices.get(Math.floorMod(next.getAndIncrement(), devices.size())));
        }
        int number = Integer.parseInt(placement.substring(NUMBERED.length()));
        return devices.stream()
                .filter(device -> device.number() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("placement " + placement + ": none of this factory's"));
    }
}
