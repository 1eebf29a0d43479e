package io.psf.runtime.spi.store;

import io.psf.api.PsException;
import io.psf.api.spi.MemoryUse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory, outside the JVM's limit for direct buffers. A byte buffer bounds-checks every access. Each allocation
 * is entered in the store's account, and freed once it is unreachable.
 */
public final class NativeStore implements Store {
    /**
     * Memory starts at a multiple of this, a cache line, so that a row of 64 bytes is one line and not parts of two.
     */
    public static final int ALIGNMENT = 64;

    /** The smallest reservation that is tried. */
    private static final int LEAST_RESERVED = 1 << 20;

    /** A buffer takes at least as much memory once it is written to, where the system has pages of this size. */
    private static final long LARGEST_PAGE = 2 << 20;

    /**
     * The minimum number of bytes that are taken of a reservation at once. Above eight times this value, an eighth of
     * the bytes that were taken is taken at once.
     */
    private static final int STEP = 1 << 18;

    private final Allocator allocator;
    private final MemoryAccount account;

    /** Allocates the memory. Thread-safe. */
    @FunctionalInterface
    public interface Allocator {
        /**
         * Allocates memory.
         *
         * @param bytes the number of bytes, at least 1
         * @param zeroed true if the memory has to be zero; if false, its content is undefined, and a page that is not
         *     written to takes none of the machine's memory
         * @throws OutOfMemoryError if the system refuses as much
         * @throws IllegalStateException likewise
         */
        Memory allocate(int bytes, boolean zeroed);
    }

    /**
     * Memory that an allocator has allocated.
     *
     * @param view a direct buffer over all of it, which begins at a multiple of {@link #ALIGNMENT}; the memory is in
     *     use as long as this object is reachable
     * @param free frees the memory; must not refer to {@code view}; called by a thread of the store
     */
    public record Memory(ByteBuffer view, Runnable free) {}

    /** Creates a store with a limit. */
    public NativeStore(MemoryLimit limit, Allocator allocator) {
        this.account = new MemoryAccount(limit);
        this.allocator = allocator;
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
                most = Math.max(LEAST_RESERVED, most / 2 & -ALIGNMENT);
            }
        }
    }

    /**
     * Native memory.
     *
     * @param bytes a view of the object that is reachable as long as the memory is in use
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
        Memory memory;
        try {
            memory = allocator.allocate(bytes, zeros);
        } catch (OutOfMemoryError | IllegalStateException e) {
            account.exhausted();
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    bytes + " bytes of native memory for " + name + ": " + e + " (expected: fewer; "
                            + account.allocated() + " are allocated, of which tensors that were dropped have "
                            + account.givenUp() + " until a garbage collection that is under way)",
                    e);
        }
        AccountEntry entry = account.enter(memory.view(), counted, memory.free());
        return new Native(memory.view().duplicate().order(ByteOrder.LITTLE_ENDIAN), entry);
    }

    @Override
    public MemoryUse use() {
        return account.use();
    }

    @Override
    public void close() {
        account.close();
    }
}
