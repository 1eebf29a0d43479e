package io.psf.runtime.internal.server.session;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.FramePool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * The connections that wait for the memory of a long frame, in the order in which they requested it, each with at most
 * one frame. Thread-safe.
 */
final class FrameQueue {
    private final FramePool pool;
    private final long most;
    private final long requests;
    private final Deque<MemoryUser> waiting = new ArrayDeque<>();
    /** Memory that was granted to frames whose connections have not requested it again yet, in bytes. */
    private long granted;

    /** True if a connection waits. */
    private volatile boolean isShort;
    /** Since when a connection waits, if one does. */
    private long shortSince;
    /** The time in which connections have waited before that. */
    private long shortNanos;

    /**
     * Creates an empty queue.
     *
     * @param most all memory, in bytes
     * @param requests the part of it for requests
     */
    FrameQueue(FramePool pool, long most, long requests) {
        this.pool = pool;
        this.most = most;
        this.requests = requests;
    }

    /** True if a connection waits. */
    boolean isShort() {
        return isShort;
    }

    /** Returns the time in which at least one connection has waited. */
    synchronized long shortNanos() {
        return shortNanos + (isShort ? System.nanoTime() - shortSince : 0);
    }

    private void setShort(boolean now) {
        if (now != isShort) {
            long at = System.nanoTime();
            shortNanos += now ? 0 : at - shortSince;
            shortSince = at;
            isShort = now;
        }
        pool.want(now);
    }

    /**
     * True if the memory of a connection's next frame may be taken.
     *
     * @return false if the frame has to wait, in the queue
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the frame exceeds the whole memory
     */
    boolean admits(MemoryUser connection, int length) {
        long capacity = FramePool.capacity(length);
        if (!isShort && fits(capacity, 0)) {
            return true;
        }
        if (capacity > most) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "bytes of a frame: " + length + " (expected: at most " + most
                            + ", the memory of the server for frames; raise PSF_MEMORY, or use more slices)");
        }
        synchronized (this) {
            FrameMemory memory = connection.frameMemory();
            if (memory.takeGrant()) {
                granted -= memory.bytes();
                return true;
            }
            if (waiting.isEmpty() && fits(capacity, granted)) {
                return true;
            }
            if (memory.request(capacity)) {
                waiting.add(connection);
            }
            setShort(true);
        }
        return false;
    }

    private boolean fits(long capacity, long granted) {
        return pool.usedBytes() + granted + capacity <= (capacity > requests ? most : requests);
    }

    /** Removes a connection, and returns its grant: it no longer waits for its frame. */
    synchronized void leave(MemoryUser connection) {
        waiting.remove(connection);
        FrameMemory memory = connection.frameMemory();
        if (memory.takeGrant()) {
            granted -= memory.bytes();
        }
        memory.stopWaiting();
    }

    /** Grants memory to the connections, in order, as long as their frames fit. */
    void grant() {
        List<MemoryUser> in = new ArrayList<>();
        synchronized (this) {
            for (MemoryUser first = waiting.peek();
                    first != null && fits(first.frameMemory().bytes(), granted);
                    first = waiting.peek()) {
                in.add(grant(first));
            }
            setShort(!waiting.isEmpty());
        }
        in.forEach(MemoryUser::regulate);
    }

    private MemoryUser grant(MemoryUser connection) {
        waiting.remove(connection);
        granted += connection.frameMemory().bytes();
        connection.frameMemory().grant();
        return connection;
    }

    /**
     * Grants memory beyond the part for requests, to the connection whose calls hold the least, workers and servers
     * first: the others' calls may wait for its frame.
     *
     * @param keepsReserve true if memory for one more frame must remain, for a late frame that the others wait for
     * @return true if memory was granted
     */
    boolean grantBeyond(boolean keepsReserve) {
        MemoryUser in;
        synchronized (this) {
            in = waiting.stream()
                    .min(Comparator.comparing((MemoryUser user) -> user.rank() == Integer.MAX_VALUE)
                            .thenComparing(MemoryUser::inUse)
                            .thenComparing(MemoryUser::rank))
                    .orElse(null);
            if (in == null || pool.usedBytes() + granted + in.frameMemory().bytes() * (keepsReserve ? 2 : 1) > most) {
                return false;
            }
            grant(in);
        }
        in.regulate();
        return true;
    }

    /** True if a connection has not taken the memory that it was granted. */
    synchronized boolean hasGrants() {
        return granted > 0;
    }
}
