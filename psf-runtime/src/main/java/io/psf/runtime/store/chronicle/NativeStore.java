package io.psf.runtime.store.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.store.Abandoned;
import io.psf.runtime.store.Room;
import io.psf.runtime.store.Store;
import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;

/**
 * Native memory from Chronicle, which no limit of the JVM's own direct buffers holds. Seen through a byte buffer, so
 * that every access is bounds-checked; freed once nobody can reach the buffer or a view of it.
 */
public final class NativeStore implements Store {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    /** A cache line: memory begins at one, so that a row of 64 bytes is fetched as one and not as two. */
    private static final int LINE = 64;

    /** Bytes of memory, and not of room, that are not freed yet; of the whole JVM, as a collection is. */
    private static final AtomicLong LIVE = new AtomicLong();

    /** A system that has less room than this has none. */
    private static final int LEAST_ROOM = 1 << 20;

    /** Bytes that may be taken before a collection looks for those that can be freed. */
    private static final long SLACK = 512L << 20;

    /** How long those that a collection has found may take to be freed. */
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

    /** Pages that have not been written to are none of the machine's memory. */
    private record Pages(ByteBuffer bytes) implements Room {
        @Override
        public int take(int wanted) {
            return bytes.capacity();
        }
    }

    @Override
    public Room reserve(String name, int bytes) {
        int most = bytes;
        boolean collected = false;
        while (true) {
            try {
                return new Pages(take(name, most, 0, false));
            } catch (PsException e) {
                if (!collected) { // what was given back may be enough
                    collect();
                    collected = true;
                } else if (most <= LEAST_ROOM) {
                    throw e;
                } else {
                    most = Math.max(LEAST_ROOM, most / 2 & -LINE);
                }
            }
        }
    }

    /**
     * Takes memory.
     *
     * @param counted how much of it is counted as live until it is freed
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

    /** Collects, and waits a moment for what was found to be freed. */
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

    /** A direct buffer over memory that is not its own; duplicates and slices of it keep it reachable. */
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
