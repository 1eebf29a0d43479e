package io.psf.runtime.spi.store;

import io.psf.api.PsException;
import io.psf.api.spi.MemoryUse;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The account of a store: the bytes that are allocated, and the bytes that were given up and are not freed yet. Only a
 * garbage collection finds out that memory is unreachable, and a server's small heap rarely triggers one. Therefore the
 * account requests a collection whenever one of the two numbers exceeds its limit. Nothing waits for it. Thread-safe.
 */
public final class MemoryAccount implements AutoCloseable {
    /** Bytes that may be allocated between two collections, at least. */
    private static final long SLACK = 512L << 20;

    /** Bytes that may be given up between two collections. */
    private static final long MOST_GIVEN_UP = 512L << 20;

    /** Bytes that a closed store may leave to a collection that happens for another reason. */
    private static final long MOST_AT_CLOSE = 16L << 20;

    /** How long the cleaner's thread may take to free the memory that a collection has found unreachable. */
    private static final int FREED_MILLIS = 20;

    /** The collections for one request, at most: a handler may be using views of memory that was given up. */
    private static final int MOST_COLLECTIONS = 3;

    /** Bytes that may be claimed without asking the machine, which takes longer than small claims. */
    private static final long UNCHECKED = 16L << 20;

    private final MemoryLimit limit;
    /** The bytes that were claimed since the machine was asked. */
    private final AtomicLong claimed = new AtomicLong();

    private final AtomicLong allocated = new AtomicLong();
    private final AtomicLong givenUp = new AtomicLong();
    /** The bytes that were ever given up. */
    private final AtomicLong givenUpSoFar = new AtomicLong();

    private final Collector collector = new Collector(this::collectIfNeeded);
    private volatile long mostAllocated = SLACK;
    private volatile long mostGivenUp = MOST_GIVEN_UP;

    /** Creates an account without a limit. */
    public MemoryAccount() {
        this(MemoryLimit.NONE);
    }

    /** Creates an account with a limit. */
    public MemoryAccount(MemoryLimit limit) {
        this.limit = limit;
    }

    /**
     * Claims memory before it is allocated. Waits for a collection only if tensors that were dropped have what is
     * missing.
     *
     * @param what the owner of the memory, for messages
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the limit, or the machine, has not as much left; then none
     *     is claimed
     */
    public void claim(String what, long bytes) {
        if (!isClaimed(bytes)) {
            awaitFreed(bytes);
            if (!isClaimed(bytes)) {
                throw limit.exceeded(what, bytes, allocated.get(), givenUp.get());
            }
        }
        requestIfNeeded();
    }

    private boolean isClaimed(long bytes) {
        if (bytes >= UNCHECKED || claimed.addAndGet(bytes) >= UNCHECKED) {
            if (bytes > limit.free()) {
                claimed.set(UNCHECKED); // the next claim asks, too
                return false;
            }
            claimed.set(0);
        }
        long before;
        do {
            before = allocated.get();
            if (bytes > limit.most() - before) {
                return false;
            }
        } while (!allocated.compareAndSet(before, before + bytes));
        return true;
    }

    private void awaitFreed(long bytes) {
        int pause = FREED_MILLIS;
        for (int i = 0; i < MOST_COLLECTIONS && givenUp.get() > 0 && isEnough(bytes); i++) {
            Collector.collect(pause);
            if (bytes <= limit.most() - allocated.get() && bytes <= limit.free()) {
                return;
            }
            pause *= 10;
        }
    }

    /** True if the memory suffices once all that was given up is freed. */
    private boolean isEnough(long bytes) {
        long freed = givenUp.get();
        return bytes - freed <= limit.most() - allocated.get() && bytes - freed <= limit.free();
    }

    /** Gives back memory that was claimed and not entered. */
    public void unclaim(long bytes) {
        allocated.addAndGet(-bytes);
    }

    /**
     * Enters memory that was claimed.
     *
     * @param memory the object that is reachable as long as the memory is in use
     * @param bytes the number of bytes that count as allocated
     * @param free frees the memory; must not refer to {@code memory}
     */
    public AccountEntry enter(Object memory, long bytes, Runnable free) {
        return new AccountEntry(this, memory, bytes, free);
    }

    /** Adds memory that is not limited by this account. The parameters are as in {@link #enter}. */
    public AccountEntry add(Object memory, long bytes, Runnable free) {
        AccountEntry entry = enter(memory, bytes, free);
        allocated.addAndGet(bytes);
        requestIfNeeded();
        return entry;
    }

    /**
     * Returns the number of bytes that are claimed, or allocated and not freed; of reservations, the bytes that were
     * taken.
     */
    public long allocated() {
        return allocated.get();
    }

    /** Returns the bytes of {@link #allocated}, and their limit. */
    public MemoryUse use() {
        return new MemoryUse(allocated.get(), limit.most());
    }

    /** Returns the number of bytes that were given up and are not freed. */
    public long givenUp() {
        return givenUp.get();
    }

    /** Requests a collection, since the system has no memory left. */
    public void exhausted() {
        mostGivenUp = -1;
        collector.request();
    }

    void gaveUp(long bytes) {
        givenUpSoFar.addAndGet(bytes);
        givenUp.addAndGet(bytes);
        requestIfNeeded();
    }

    void freed(long bytes, long bytesGivenUp) {
        allocated.addAndGet(-bytes);
        givenUp.addAndGet(-bytesGivenUp);
    }

    private boolean isNeeded() {
        return allocated.get() > mostAllocated || givenUp.get() > mostGivenUp;
    }

    private void requestIfNeeded() {
        if (isNeeded()) {
            collector.request();
        }
    }

    /** Runs on the collector's thread. */
    private void collectIfNeeded() {
        if (isNeeded()) {
            long inUse = collect();
            long left = allocated.get();
            mostAllocated = left + Math.max(SLACK, left);
            mostGivenUp = inUse + MOST_GIVEN_UP;
            requestIfNeeded(); // other memory may have been given up meanwhile
        }
    }

    /** Runs collections. Returns the bytes that were given up before, and of which views are still in use. */
    private long collect() {
        long inUse = 0;
        int pause = FREED_MILLIS;
        for (int i = 0; i < MOST_COLLECTIONS && !Thread.currentThread().isInterrupted(); i++) {
            long before = givenUpSoFar.get();
            Collector.collect(pause);
            inUse = Math.max(0, givenUp.get() - (givenUpSoFar.get() - before));
            if (inUse <= MOST_GIVEN_UP) {
                break;
            }
            pause *= 10;
        }
        return inUse;
    }

    /** Ends the collector's thread, after a last collection if much memory is left. */
    @Override
    public void close() {
        if (Math.max(allocated.get(), givenUp.get()) > MOST_AT_CLOSE) {
            mostGivenUp = -1;
            collector.request();
        }
        collector.close();
    }
}
