package io.psf.runtime.server.session;

import io.psf.api.PsException;
import io.psf.runtime.transport.FramePool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the memory of a server's frames among its connections. A long frame is read only when its memory is
 * available. Until then its connection waits in a queue, so that backpressure blocks its sender. Each connection has at
 * most one frame in the queue. While more memory than the part for requests is in use, the short frames of a connection
 * are limited by its share.
 *
 * <p>Half of the memory is for requests, a quarter for answers that are not sent yet. The rest is used when there is no
 * progress: then all memory in use belongs to calls that wait for other calls, such as a synchronous round that waits
 * for its last push. Frames are then read beyond the half, one at a time. When all memory is held by such calls, those
 * of them that can be ended fail: a clear error instead of a deadlock.
 *
 * <p>Without a bound on the pool every frame is admitted. Thread-safe.
 */
public final class Admission implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** The interval at which memory is checked while a connection waits for it. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Progress counts as stopped after this time without a change in memory use, even if a frame is in transit. */
    private static final long STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    /** Calls that hold all memory are ended after this time without progress. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The polling interval of a thread that waits for an answer's memory. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The minimum of waiting bytes that a connection may have, whatever the others have. */
    private static final long LEAST_SHARE = 64 << 10;

    private static final int MOST_RELIEF = 20;

    private final FramePool pool;
    private final String name;
    private final long most;
    private final long requests;
    private final long answers;
    private final BooleanSupplier isIdle;
    private final BooleanSupplier isArriving;
    private final Runnable endThoseThatWait;

    /** Connections with a frame that waits for its memory. */
    private final Deque<Connection> line = new ArrayDeque<>();
    /** Connections with calls that are deferred until other answers are sent. */
    private final Queue<Connection> stalled = new ConcurrentLinkedQueue<>();

    private final AtomicLong unsent = new AtomicLong();
    private final AtomicLong remembered = new AtomicLong();
    /** Memory that was granted to frames whose connections have not requested it again yet, in bytes. */
    private long granted;

    private volatile int connections;
    /** True if a connection waits in the queue. */
    private volatile boolean isShort;
    /** How many times the shares have been doubled because there was no progress. */
    private volatile int relief;

    private volatile boolean isClosed;
    private volatile @Nullable Thread thread;

    // Used only by the admission thread.
    private long usedBefore;
    private long movedAt;

    /**
     * Divides the memory that a pool may hold.
     *
     * @param isIdle true if no request is running or can run
     * @param isArriving true if a long frame is being read
     * @param endThoseThatWait fails calls that wait for other calls
     */
    public Admission(
            String name,
            FramePool pool,
            BooleanSupplier isIdle,
            BooleanSupplier isArriving,
            Runnable endThoseThatWait) {
        this.name = name;
        this.pool = pool;
        this.most = pool.bound();
        this.requests = most / 2;
        this.answers = most / 4;
        this.isIdle = isIdle;
        this.isArriving = isArriving;
        this.endThoseThatWait = endThoseThatWait;
        pool.onGivenBack(this::wake);
    }

    /** Sets the number of connections. */
    public void setConnections(int connections) {
        this.connections = connections;
    }

    /**
     * True if the memory of a connection's next frame may be taken.
     *
     * @return false if the frame has to wait, in the queue
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the frame exceeds the whole memory
     */
    boolean admits(Connection connection, int length) {
        long capacity = FramePool.capacity(length);
        if (!isShort && fits(capacity, 0)) {
            return true;
        }
        if (capacity > most) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "bytes of a frame: " + length + " (expected: at most " + most
                            + ", the memory of the server for frames; PSF_MEMORY, or use more slices)");
        }
        synchronized (line) {
            if (connection.takeGrant()) {
                granted -= connection.wanted();
                return true;
            }
            if (line.isEmpty() && fits(capacity, granted)) {
                return true;
            }
            if (connection.waitsFor(capacity)) {
                line.add(connection);
            }
            isShort = true;
            pool.want(true);
        }
        startOrWake();
        return false;
    }

    private boolean fits(long capacity, long granted) {
        return pool.usedBytes() + granted + capacity <= (capacity > requests ? most : requests);
    }

    /** Removes a connection from the queue, and returns its grant: it no longer waits for its frame. */
    void leave(Connection connection) {
        synchronized (line) {
            line.remove(connection);
            if (connection.takeGrant()) {
                granted -= connection.wanted();
            }
            connection.stopsWaiting();
        }
    }

    /**
     * Returns the maximum number of bytes of requests that a connection may have waiting now.
     *
     * @param usual the connection's limit without memory pressure
     */
    long share(long usual) {
        if (most == Long.MAX_VALUE || pool.usedBytes() <= requests) {
            return Math.min(usual, requests);
        }
        long share = Math.max(LEAST_SHARE, requests / 2 / Math.max(1, connections));
        return Math.min(usual, share << relief);
    }

    /** Adds to the number of bytes of unsent answers; negative for answers that have been sent. */
    void unsent(long bytes) {
        unsent.addAndGet(bytes);
        if (bytes < 0 && !stalled.isEmpty()) {
            wake();
        }
    }

    /** True if calls may run, since enough of the answers have been sent. */
    boolean hasRoomForAnswers() {
        return unsent.get() <= answers << relief;
    }

    /**
     * Blocks until there is memory for a long answer. Returns early if no answer is unsent, or memory use has not
     * changed for {@link #STILL_NANOS}.
     */
    void awaitAnswer(int length) {
        long used = pool.usedBytes();
        long movedAt = System.nanoTime();
        while (used + FramePool.capacity(length) > most
                && unsent.get() > 0
                && System.nanoTime() - movedAt < STILL_NANOS) {
            LockSupport.parkNanos(this, ANSWER_NANOS);
            long now = pool.usedBytes();
            if (now != used) {
                used = now;
                movedAt = System.nanoTime();
            }
        }
    }

    /** Adds a connection with a call that was deferred because there is no memory for its answer. */
    void stall(Connection connection) {
        stalled.add(connection);
        startOrWake();
    }

    /** Adds to the number of bytes of answers that are stored for retries; negative for answers that are dropped. */
    void remembered(long bytes) {
        remembered.addAndGet(bytes);
    }

    /**
     * Returns the maximum number of bytes of answers that a connection may store now.
     *
     * @param usual the connection's limit without memory pressure
     */
    long mostRemembered(long usual) {
        return most == Long.MAX_VALUE || remembered.get() <= most / 8
                ? Math.min(usual, most / 8)
                : Math.min(usual, most / 8 / Math.max(1, connections));
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    private void startOrWake() {
        if (thread == null) {
            synchronized (line) {
                if (thread == null && !isClosed) {
                    Thread started = new Thread(this::run, name + "-memory");
                    started.setDaemon(true);
                    thread = started;
                    started.start();
                }
            }
        }
        wake();
    }

    private void run() {
        while (!isClosed) {
            try {
                boolean busy = isShort || !stalled.isEmpty() || relief > 0;
                LockSupport.parkNanos(this, busy ? LOOK_NANOS : IDLE_NANOS);
                letIn();
                letRun();
                look();
            } catch (Throwable e) { // an exception would block all waiting connections
                LOG.error("sharing memory failed", e);
            }
        }
    }

    /** Grants memory to the connections in the queue, in order, as long as their frames fit. */
    private void letIn() {
        List<Connection> in = new ArrayList<>();
        synchronized (line) {
            for (Connection first = line.peek(); first != null && fits(first.wanted(), granted); first = line.peek()) {
                in.add(grant(first));
            }
            isShort = !line.isEmpty();
            pool.want(isShort);
        }
        in.forEach(Connection::regulate);
    }

    private Connection grant(Connection connection) {
        line.remove(connection);
        granted += connection.wanted();
        connection.grant();
        return connection;
    }

    private void letRun() {
        if (unsent.get() <= answers / 2) {
            Connection next = stalled.poll();
            if (next != null) {
                next.runStalled();
            }
        }
    }

    /** Checks for progress, and relaxes limits if there is none. */
    private void look() {
        long now = System.nanoTime();
        long used = pool.usedBytes();
        boolean isWanted = isShort || !stalled.isEmpty() || used > requests;
        if (!isWanted) {
            relief = 0;
        }
        boolean isStill = isWanted && isIdle.getAsBoolean();
        if (used != usedBefore || !isStill) {
            usedBefore = used;
            movedAt = now;
        }
        if (!isStill) {
            return;
        }
        if (now - movedAt < STILL_NANOS) {
            if (hasHandledAll()) {
                letInBeyond(true);
            }
            return;
        }
        Connection next = stalled.poll();
        if (next != null) {
            next.runStalled();
        }
        relief = Math.min(MOST_RELIEF, relief + 1);
        if (!letInBeyond(false) && now - movedAt >= END_NANOS && isShort) {
            endThoseThatWait.run();
            movedAt = now;
        }
    }

    /** True if every admitted frame has been handled: the memory in use is held by calls that wait for other calls. */
    private boolean hasHandledAll() {
        synchronized (line) {
            if (granted > 0) {
                return false;
            }
        }
        return unsent.get() == 0 && !isArriving.getAsBoolean();
    }

    /**
     * Grants memory to the connection whose calls hold the least: the others' calls may wait for its frame.
     *
     * @param leavesRoom true if memory for one more frame must remain, for a late frame that the others wait for
     */
    private boolean letInBeyond(boolean leavesRoom) {
        Connection in;
        synchronized (line) {
            in = line.stream()
                    .min(Comparator.comparing(Connection::inUse).thenComparing(Connection::rank))
                    .orElse(null);
            if (in == null || pool.usedBytes() + granted + in.wanted() * (leavesRoom ? 2 : 1) > most) {
                return false;
            }
            grant(in);
        }
        in.regulate();
        return true;
    }

    @Override
    public void close() {
        isClosed = true;
        wake();
    }
}
