package io.psf.runtime.store.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.store.AccountEntry;
import io.psf.runtime.store.Allocation;
import io.psf.runtime.store.MemoryAccount;
import io.psf.runtime.store.MemoryLimit;
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

    /**
     * The minimum number of bytes that are taken of a reservation at once. Above eight times this value, an eighth of the
     * bytes that were taken is taken at once.
     */
    private static final int STEP = 1 << 18;

    private final MemoryAccount account;

    /** Creates a store without a limit. */
    public NativeStore() {
        this.account = new MemoryAccount();
    }

    /** Creates a store with a limit. */
    public NativeStore(MemoryLimit limit) {
        this.account = new MemoryAccount(limit);
    }

    private static long offset(String field) {
        try {
            return OS.memory().getFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (NoSuchFieldException e) {
            throw new LinkageError("java.nio.Buffer." + field, e);
        }
    }

    @Override
    public void promise(String what, long bytes) {
        account.claim(what, bytes);
    }

    @Override
    public void endPromise(long bytes) {
        account.unclaim(bytes);
    }

    @Override
    public Allocation allocate(String name, int bytes) {
        account.claim(name, bytes);
        boolean done = false;
        try {
            Native memory = allocate(name, bytes, bytes, true);
            done = true;
            return memory;
        } finally {
            if (!done) {
                account.unclaim(bytes);
            }
        }
    }

    @Override
    public Reservation reserve(String name, int bytes) {
        int most = bytes;
        while (true) {
            try {
                return new Growing(name, allocate(name, most, 0, false), account);
            } catch (PsException e) {
                if (most <= LEAST_RESERVED) {
                    throw e;
                }
                most = Math.max(LEAST_RESERVED, most / 2 & -LINE);
            }
        }
    }

    /**
     * Native memory.
     *
     * @param bytes a view of the object whose reachability is that of the memory
     */
    private record Native(ByteBuffer bytes, AccountEntry entry) implements Allocation {
        @Override
        public void giveUp(long used) {
            entry.giveUp(Math.min(bytes.capacity(), Math.max(used, LARGEST_PAGE)));
        }
    }

    /**
     * Native memory that is claimed step by step. The system backs a page with memory when it is first written to, so a
     * page that is not claimed takes none.
     */
    private static final class Growing implements Reservation {
        private final String name;
        private final Native memory;
        private final MemoryAccount account;
        private int taken;

        Growing(String name, Native memory, MemoryAccount account) {
            this.name = name;
            this.memory = memory;
            this.account = account;
        }

        @Override
        public ByteBuffer bytes() {
            return memory.bytes();
        }

        @Override
        public int take(int wanted) {
            if (wanted <= taken) {
                return taken;
            }
            long ahead = Math.max(wanted, (long) taken + Math.max(STEP, taken / 8));
            int most = (int) Math.min(memory.bytes().capacity(), ahead);
            try {
                claim(most);
            } catch (PsException e) {
                if (most == wanted) {
                    throw e;
                }
                claim(wanted); // there may be as much as is needed now
            }
            return taken;
        }

        private void claim(int most) {
            account.claim(name, most - taken);
            memory.entry().grow(most - taken);
            taken = most;
        }

        @Override
        public void giveUp(long used) {
            memory.giveUp(used);
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
        AccountEntry entry = account.enter(view, counted, () -> memory.freeMemory(address, size));
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
