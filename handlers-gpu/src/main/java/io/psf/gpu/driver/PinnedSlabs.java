package io.psf.gpu.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory in which short buffers are parts of longer blocks: a call of the driver takes as long as hundreds
 * of requests, may wait for the device, and gives whole pages. A block is freed when all of its buffers are
 * unreachable. Thread-safe.
 */
public final class PinnedSlabs {
    /** From this length on a buffer is a block of its own. */
    private static final int LONG = 1 << 16;

    private static final int SLAB = 1 << 20;

    /** A cache line: devices and processors do not write the same one. */
    private static final int ALIGNMENT = 128;

    private final Device device;
    private @Nullable ByteBuffer slab;

    /** Creates memory that is allocated through a device; any device may use it. */
    public PinnedSlabs(Device device) {
        this.device = device;
    }

    /** Allocates memory, as {@link PinnedMemory#allocate} does. */
    public @Nullable ByteBuffer allocate(int bytes) {
        return bytes >= LONG ? PinnedMemory.allocate(device, bytes) : part(bytes);
    }

    private synchronized @Nullable ByteBuffer part(int bytes) {
        int padded = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        ByteBuffer from = slab;
        if (from == null || from.remaining() < padded) {
            from = PinnedMemory.allocate(device, SLAB);
            slab = from;
        }
        if (from == null) {
            return null;
        }
        ByteBuffer part = from.slice(from.position(), bytes).order(ByteOrder.LITTLE_ENDIAN);
        from.position(from.position() + padded);
        return part;
    }
}
