package io.psf.runtime.internal.server.session;

import io.psf.api.Names;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.FullHeap;
import java.util.concurrent.TimeUnit;
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
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Progress counts as stopped after this time without a change in memory use, even if a frame is in transit. */
    private static final long STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    /** Calls that hold all memory are ended after this time without progress. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The minimum of waiting bytes that a connection may have, whatever the others have. */
    private static final long LEAST_SHARE = 64 << 10;

    /** The part of the heap that waiting requests may take, whatever their lengths. */
    private static final int PART_OF_WAITING = 4;

    /** The number of waiting requests that a connection may have, whatever the others have. */
    static final int LEAST_WAITING = 256;

    /** The part of the memory that the numbers of finished calls of all connections may take. */
    private static final int PART_OF_FINISHED = 32;

    /** The bytes that a connection's finished calls may take, whatever the others have. */
    private static final long LEAST_FINISHED = 4 << 10;

    private static final int MOST_RELIEF = 20;

    private final FramePool pool;
    private final String name;
    private final long most;
    private final long requests;
    private final BooleanSupplier isIdle;
    private final BooleanSupplier isArriving;
    private final Runnable endThoseThatWait;

    private final FrameQueue frames;
    private final AnswerMemory answers;
    private final DecodedMemory decoded;

    private volatile int connections;
    private volatile int mostWaiting = Integer.MAX_VALUE;
    /** How many times the shares have been doubled because there was no progress. */
    private volatile int relief;

    private volatile boolean isClosed;
    private volatile @Nullable Thread thread;

    // Used only by the admission thread.
    private long usedBefore;
    private long changedAt;

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
        this.frames = new FrameQueue(pool, most, requests);
        this.answers = new AnswerMemory(pool, most, most / 4);
        this.decoded = new DecodedMemory(pool);
        this.isIdle = isIdle;
        this.isArriving = isArriving;
        this.endThoseThatWait = endThoseThatWait;
        pool.onGivenBack(this::wake);
    }

    /** Sets the number of connections. */
    public void setConnections(int connections) {
        this.connections = connections;
        long all = Runtime.getRuntime().maxMemory() / PART_OF_WAITING / PeerLimits.REQUEST_OVERHEAD;
        mostWaiting = (int) Math.min(Integer.MAX_VALUE, Math.max(LEAST_WAITING, all / Math.max(1, connections)));
    }

    /** Returns the number of requests of a connection that may wait for their turns. */
    int mostWaiting() {
        return mostWaiting;
    }

    /**
     * True if the memory of a connection's next frame may be taken.
     *
     * @return false if the frame has to wait, in the queue
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if the frame exceeds the whole memory
     */
    boolean admits(MemoryUser connection, int length) {
        boolean admitted = frames.admits(connection, length);
        if (!admitted) {
            startOrWake();
        }
        return admitted;
    }

    /** Removes a connection from the queue, and returns its grant: it no longer waits for its frame. */
    void leave(MemoryUser connection) {
        frames.leave(connection);
    }

    /** Returns the maximum number of bytes that the numbers of a connection's finished calls may take now. */
    long mostFinished() {
        long all = Math.min(most, Runtime.getRuntime().maxMemory()) / PART_OF_FINISHED;
        return Math.max(LEAST_FINISHED, all / Math.max(1, connections));
    }

    /** Adds to the bytes in use: state on the heap that belongs to sessions. Negative for memory that is given back. */
    void count(long bytes) {
        pool.count(bytes);
    }

    /** Returns the memory of what requests become. */
    DecodedMemory decoded() {
        return decoded;
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
        answers.unsent(bytes);
        if (bytes < 0 && answers.hasDeferred()) {
            wake();
        }
    }

    /** True if calls may run, since enough of the answers have been sent. */
    boolean hasAnswerCapacity() {
        return answers.hasCapacity(relief);
    }

    /** True if enough of the answers have been sent, by the limit that holds while there is progress. */
    boolean hasUsualAnswerCapacity() {
        return answers.hasCapacity(0);
    }

    /**
     * Blocks until there is memory for a long answer. Returns early if no answer is unsent, or memory use has not
     * changed for {@link #STILL_NANOS}.
     */
    void awaitAnswer(int length) {
        answers.await(length, STILL_NANOS);
    }

    /** Adds a connection with a call that is deferred because there is no memory for its answer. */
    void defer(MemoryUser connection) {
        answers.defer(connection);
        startOrWake();
    }

    /** Adds to the number of bytes of answers that are stored for retries; negative for answers that are dropped. */
    void stored(long bytes) {
        answers.stored(bytes);
    }

    /**
     * Returns the maximum number of bytes of answers that a connection may store now.
     *
     * @param usual the connection's limit without memory pressure
     */
    long mostStored(long usual) {
        return answers.mostStored(usual, connections);
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    private void startOrWake() {
        if (thread == null) {
            synchronized (this) {
                if (thread == null && !isClosed) {
                    Thread started = new Thread(this::run, name + "-memory");
                    started.setDaemon(true);
                    started.start();
                    thread = started; // not before: if there is no thread to be had, the next frame starts one
                }
            }
        }
        wake();
    }

    private void run() {
        while (!isClosed) {
            try {
                boolean busy = frames.isShort() || answers.hasDeferred() || relief > 0;
                LockSupport.parkNanos(this, busy ? CHECK_NANOS : IDLE_NANOS);
                frames.grant();
                answers.runDeferredIfFree();
                checkProgress();
            } catch (Throwable e) { // an exception would block all waiting connections
                FullHeap.report(e);
                LOG.error("sharing memory failed", Names.printable(e));
            }
        }
    }

    /** Checks for progress, and relaxes limits if there is none. */
    private void checkProgress() {
        long now = System.nanoTime();
        long used = pool.usedBytes();
        boolean isWanted = frames.isShort() || answers.hasDeferred() || used > requests;
        if (!isWanted) {
            relief = 0;
        }
        boolean isStill = isWanted && isIdle.getAsBoolean();
        if (used != usedBefore || !isStill) {
            usedBefore = used;
            changedAt = now;
        }
        if (!isStill) {
            return;
        }
        if (now - changedAt < STILL_NANOS) {
            if (hasHandledAll()) {
                frames.grantBeyond(true);
            }
            return;
        }
        answers.runDeferred();
        relief = Math.min(MOST_RELIEF, relief + 1);
        if (!frames.grantBeyond(false) && now - changedAt >= END_NANOS && frames.isShort()) {
            endThoseThatWait.run();
            changedAt = now;
        }
    }

    /** Returns the time in which long requests have waited for memory. */
    public long shortNanos() {
        return frames.shortNanos();
    }

    /** True if every admitted frame has been handled: the memory in use is held by calls that wait for other calls. */
    private boolean hasHandledAll() {
        return !frames.hasGrants() && !answers.hasUnsent() && !isArriving.getAsBoolean();
    }

    @Override
    public void close() {
        isClosed = true;
        wake();
    }
}
