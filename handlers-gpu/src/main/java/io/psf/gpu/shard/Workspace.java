package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Event;
import io.psf.gpu.driver.PinnedMemory;
import io.psf.gpu.driver.Stream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The streams and the scratch memory of one lane on one device. All shards of the lane on the device share it, so the
 * work of one call ends before the next call begins. Used by the lane's own thread.
 */
final class Workspace implements AutoCloseable {
    /** The floats of a piece: a long array is copied piece by piece, while kernels run on earlier pieces. */
    static final int PIECE = 1 << 20;

    /** The bits of a NaN: memory for results is filled with them before each use, if the system property is set. */
    private static final int POISON = 0x7fc0dead;

    private static final boolean IS_POISONED = Boolean.getBoolean("psf.gpu.poison");

    /** Longer scratch memory is given back after the call. */
    private static final long MOST_KEPT = 256L << 20;

    private final Device device;
    /** Runs kernels and short copies. */
    private final Stream stream;
    /** Runs the copies of pieces. */
    private final Stream copies;

    private final Kernels kernels;
    private final Half[] halves;
    private final Map<String, Block> scratch = new HashMap<>();
    private ByteBuffer pinned = ByteBuffer.allocateDirect(0);
    /** The memory of a call's keys that are on the heap, or that devices cannot read. */
    private ByteBuffer keys = ByteBuffer.allocateDirect(0);
    /** The memory of the host for the status of a shard. */
    private final ByteBuffer words;
    /** The number of operations that run, each a part of the previous one. */
    private int depth;

    /** One half of the double buffer of pieces: while one is copied, a kernel runs on the other. */
    static final class Half implements AutoCloseable {
        /** The copy into the half, or out of it, has ended. */
        final Event copied = Event.create();
        /** The kernel that reads or writes the half has ended. */
        final Event used = Event.create();

        final int number;

        Half(int number) {
            this.number = number;
        }

        /** Returns the name of its scratch memory. */
        String name() {
            return number == 0 ? "first half" : "second half";
        }

        @Override
        public void close() {
            copied.close();
            used.close();
        }
    }

    Workspace(Device device) {
        this.device = device;
        this.stream = new Stream();
        this.copies = new Stream();
        this.kernels = new Kernels(KernelSource.builtin().load(device), stream, device.processors());
        this.halves = new Half[] {new Half(0), new Half(1)};
        this.words = hostMemory(64);
        for (Half half : halves) {
            scratch(half.name(), (long) PIECE * Float.BYTES); // now: a shard that is made has what its pushes need
        }
    }

    /**
     * Runs an operation of a shard. If it fails, blocks until its work has ended, so that no copy uses the memory of
     * the request any more. Long scratch memory is given back at the end, unless this is a part of another operation.
     */
    <T> T operation(Function<Kernels, T> work) {
        device.use();
        depth++;
        try {
            return work.apply(kernels);
        } catch (RuntimeException | Error e) {
            settle();
            throw e;
        } finally {
            if (--depth == 0) {
                giveLongMemoryBack();
            }
        }
    }

    /** Returns the kernels, for work that is not an operation of a shard, such as a measurement. */
    Kernels kernels() {
        device.use();
        return kernels;
    }

    Device device() {
        return device;
    }

    Stream stream() {
        return stream;
    }

    Stream copies() {
        return copies;
    }

    Half half(int piece) {
        return halves[piece % 2];
    }

    /**
     * Returns scratch memory of the device for a use, its content undefined. Longer memory replaces shorter memory, of
     * which no work may be queued: the memory for one use is requested once in an operation.
     */
    Block scratch(String use, long bytes) {
        Block block = scratchOf(use, bytes);
        if (IS_POISONED) {
            stream.fill(block.address(), block.bytes(), POISON);
            stream.synchronize();
        }
        return block;
    }

    /** Fills an array that a copy from the device is to fill, in tests. */
    static void poison(FloatArray result) {
        if (IS_POISONED && result.stored() != FloatType.INT8) {
            result.fill(Float.intBitsToFloat(POISON));
        }
    }

    private Block scratchOf(String use, long bytes) {
        Block there = scratch.get(use);
        if (there != null && there.bytes() >= bytes) {
            return there;
        }
        if (there != null) {
            stream.synchronize();
            scratch.remove(use);
            device.free(there);
        }
        long rounded = bytes <= 1 << 16 ? 1 << 16 : Long.highestOneBit(bytes - 1) << 1;
        Block block = device.allocate(Math.max(bytes, rounded > MOST_KEPT ? bytes : rounded), "a call: " + use);
        scratch.put(use, block);
        return block;
    }

    private void giveLongMemoryBack() {
        scratch.values().removeIf(block -> {
            boolean isLong = block.bytes() > MOST_KEPT;
            if (isLong) {
                device.free(block);
            }
            return isLong;
        });
    }

    /** Returns memory of the host for short copies, at least that long, until the next request of it. */
    ByteBuffer pinned(int bytes) {
        pinned = atLeast(bytes, pinned);
        return pinned.clear().limit(bytes);
    }

    /** Returns memory of the host for the keys of a call. */
    ByteBuffer keys(int bytes) {
        keys = atLeast(bytes, keys);
        return keys.clear().limit(bytes);
    }

    private ByteBuffer atLeast(int bytes, ByteBuffer there) {
        if (there.capacity() >= bytes) {
            return there;
        }
        stream.settle(); // no copy uses the memory that is replaced
        return hostMemory(Math.max(1 << 16, Integer.highestOneBit(bytes) >= 1 << 30 ? bytes : powerOfTwo(bytes)));
    }

    private static int powerOfTwo(int least) {
        return least <= 1 ? 1 : Integer.highestOneBit(least - 1) << 1;
    }

    /** Returns the memory of the host for the status of a shard, 64 bytes. */
    ByteBuffer words() {
        return words.clear();
    }

    /** Returns memory of the host, little-endian, its content undefined, page-locked if there is such memory. */
    ByteBuffer hostMemory(int bytes) {
        ByteBuffer locked = PinnedMemory.allocate(device, Math.max(1, bytes));
        return locked != null
                ? locked.limit(bytes)
                : ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Blocks until all work has ended, also work that has failed. */
    void settle() {
        copies.settle();
        stream.settle();
    }

    @Override
    public void close() {
        settle();
        scratch.values().forEach(device::free);
        scratch.clear();
        for (Half half : halves) {
            half.close();
        }
        copies.close();
        stream.close();
        device.trim();
    }
}
