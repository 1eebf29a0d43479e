package io.psf.runtime.store.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.store.AccountEntry;
import io.psf.runtime.store.Allocation;
import io.psf.runtime.store.MemoryAccount;
import io.psf.runtime.store.Reservation;
import io.psf.runtime.store.Store;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;

/**
 * Allocates native memory with Chronicle, outside the JVM's limit for direct buffers. A byte buffer bounds-checks every
 * access.
 */
public final class NativeStore implements Store {
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    /** The size of a cache line. Memory starts at a line, so that a row of 64 bytes is one line and not parts of two. */
    private static final int LINE = 64;

    /** The smallest reservation that is tried. */
    private static final int LEAST_RESERVED = 1 << 20;

    /** A buffer takes at least as much memory once it is written to, where the system has pages of this size. */
    private static final long LARGEST_PAGE = 2 << 20;

    private final MemoryAccount account = new MemoryAccount();

    private static long offset(String field) {
        try {
            return OS.memory().getFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (NoSuchFieldException e) {
            throw new LinkageError("java.nio.Buffer." + field, e);
        }
    }

    @Override
    public Allocation allocate(String name, int bytes) {
        return allocate(name, bytes, bytes, true);
    }

    @Override
    public Reservation reserve(String name, int bytes) {
        int most = bytes;
        while (true) {
            try {
                return allocate(name, most, 0, false);
            } catch (PsException e) {
                if (most <= LEAST_RESERVED) {
                    throw e;
                }
                most = Math.max(LEAST_RESERVED, most / 2 & -LINE);
            }
        }
    }

    /**
     * Native memory. All of it is usable: the system backs a page with memory when it is first written to.
     *
     * @param bytes a view of the object whose reachability is that of the memory
     */
    private record Native(ByteBuffer bytes, AccountEntry entry) implements Reservation {
        @Override
        public int take(int wanted) {
            return bytes.capacity();
        }

        @Override
        public void giveUp(long used) {
            entry.giveUp(Math.min(bytes.capacity(), Math.max(used, LARGEST_PAGE)));
        }
    }

    /**
     * Allocates memory.
     *
     * @param counted the number of bytes that count as allocated until the memory is freed
     */
    private Native allocate(String name, int bytes, int counted, boolean zeros) {
        Memory memory = OS.memory();
        long size = (long) bytes + LINE - 1;
        long address;
        try {
            address = memory.allocate(size); // a BytesStore would be a dozen objects on the heap
        } catch (OutOfMemoryError | IllegalStateException e) {
            account.exhausted();
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    bytes + " bytes of native memory for " + name + ": " + e + " (expected: fewer; "
                            + account.allocated() + " are allocated, of which tensors that were dropped have "
                            + account.givenUp() + " until a garbage collection that is under way)",
                    e);
        }
        if (zeros) {
            memory.setMemory(address, size, (byte) 0);
        }
        ByteBuffer view = view((address + LINE - 1) & -LINE, bytes);
        AccountEntry entry = account.add(view, counted, () -> memory.freeMemory(address, size));
        return new Native(view.duplicate().order(ByteOrder.LITTLE_ENDIAN), entry);
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
    public void close() {
        account.close();
    }
}
