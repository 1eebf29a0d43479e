package io.psf.runtime.spi.store;

import java.lang.ref.Cleaner;

/**
 * One piece of memory in the account of its store. It leaves the account when it is freed. It is its own action of the
 * cleaner, since a shard has several. Thread-safe.
 */
public final class AccountEntry implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final MemoryAccount account;
    private long bytes;
    private final Runnable free;
    private long givenUp;
    private boolean isFreed;

    AccountEntry(MemoryAccount account, Object memory, long bytes, Runnable free) {
        this.account = account;
        this.bytes = bytes;
        this.free = free;
        CLEANER.register(memory, this);
    }

    /** Counts further bytes, which were claimed, as allocated until the memory is freed. */
    public synchronized void grow(long more) {
        bytes += more;
    }

    /**
     * Marks the memory as given up.
     *
     * @param used the number of bytes that its release makes available
     */
    public synchronized void giveUp(long used) {
        if (!isFreed && givenUp == 0) {
            givenUp = used;
            account.gaveUp(used);
        }
    }

    /** Frees the memory. The cleaner calls it once the memory is unreachable. */
    @Override
    public synchronized void run() {
        if (!isFreed) {
            isFreed = true;
            free.run();
            account.freed(bytes, givenUp);
        }
    }
}
