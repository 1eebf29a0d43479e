package io.psf.runtime.store.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.store.Abandoned;
import io.psf.runtime.store.Reservation;
import io.psf.runtime.store.Store;
import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;

/**
 * Allocates native memory with Chronicle, outside the JVM's limit for direct buffers. A byte buffer bounds-checks every
 * access. The memory is freed once the buffer and all its views are unreachable.
 */
public final class NativeStore implements Store {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    /** The size of a cache line. Memory starts at a line, so that a row of 64 bytes is one line and not parts of two. */
    private static final int LINE = 64;

    /** Bytes that were allocated, without reservations, and are not freed. For the whole JVM, as a collection is. */
    private static final AtomicLong LIVE = new AtomicLong();

    /** The smallest reservation that is tried. */
    private static final int LEAST_RESERVED = 1 << 20;

    /** Bytes that may be allocated between two collections, at least. */
    private static final long SLACK = 512L << 20;

    /** How long the cleaner thread may take to free the memory that a collection has found. */
    private static final int FREED_MILLIS = 20;

    private static final AtomicLong COLLECT_AT = new AtomicLong(SLACK);

    private static long offset(String field) {
        try {
            return OS.memory().getFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (NoSuchFieldException e) {
            throw new LinkageError("java.nio.Buffer." + field, e);
        }
    }

    @Override
    public ByteBuffer allocate(String name, int bytes) {
        if (LIVE.get() + bytes > COLLECT_AT.get()) {
            collect();
            COLLECT_AT.set(LIVE.get() + bytes + Math.max(SLACK, LIVE.get()));
        }
        ByteBuffer memory = take(name, bytes, bytes, true);
        LIVE.addAndGet(bytes);
        return memory;
    }

    /** Reserved pages: the system backs a page with memory when it is first written to. */
    private record Pages(ByteBuffer bytes) implements Reservation {
        @Override
        public int take(int wanted) {
            return bytes.capacity();
        }
    }

    @Override
    public Reservation reserve(String name, int bytes) {
        int most = bytes;
        boolean collected = false;
        while (true) {
            try {
                return new Pages(take(name, most, 0, false));
            } catch (PsException e) {
                if (!collected) { // freed memory may be enough
                    collect();
                    collected = true;
                } else if (most <= LEAST_RESERVED) {
                    throw e;
                } else {
                    most = Math.max(LEAST_RESERVED, most / 2 & -LINE);
                }
            }
        }
    }

    /**
     * Allocates memory.
     *
     * @param counted the number of bytes that count as live until the memory is freed
     */
    private static ByteBuffer take(String name, int bytes, int counted, boolean zeros) {
        Memory memory = OS.memory();
        long size = (long) bytes + LINE - 1;
        long address;
        try {
            address = memory.allocate(size); // a BytesStore would be a dozen objects on the heap
        } catch (OutOfMemoryError | IllegalStateException e) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED, bytes + " bytes of native memory for " + name + ": " + e, e);
        }
        if (zeros) {
            memory.setMemory(address, size, (byte) 0);
        }
        ByteBuffer view = view((address + LINE - 1) & -LINE, bytes);
        CLEANER.register(view, () -> {
            memory.freeMemory(address, size);
            LIVE.addAndGet(-counted);
        });
        return view.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Runs a collection. Blocks until the cleaner thread frees no more memory, 20 ms or a little longer. */
    private static void collect() {
        Abandoned.collect();
        try {
            Thread.sleep(FREED_MILLIS);
            for (long before = Long.MAX_VALUE, now = LIVE.get(); now < before; now = LIVE.get()) {
                before = now;
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a direct buffer over memory of another owner. Its duplicates and slices keep it reachable. */
    private static ByteBuffer view(long address, int bytes) {
        Memory memory = OS.memory();
        ByteBuffer view = ByteBuffer.allocateDirect(0);
        memory.writeLong(view, ADDRESS, address);
        memory.writeInt(view, CAPACITY, bytes);
        view.clear();
        return view;
    }

    @Override
    public void close() {}
}
