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
 * Shares the memory of a server's frames among its connections. A long frame is read only when its memory fits in: its
 * connection waits in line until then, so that its sender comes to wait, and each connection has one frame at a time in
 * the line. Short frames are bounded by a share of the memory for each connection while more than enough is in use.
 *
 * <p>Half of the memory is for requests, a quarter for answers that are not sent yet. What is left serves when nothing
 * moves: then all that is in use belongs to calls that wait for other calls, such as a synchronous round for its last
 * push, and frames are read beyond the half, one at a time. When all memory is held by such calls, those of them that
 * can be ended are: a clear error instead of a deadlock.
 *
 * <p>Without a bound on the pool everything is admitted. Thread-safe.
 */
final class Admission implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** How often memory is looked at while somebody waits for it. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Nothing moves if it has not for so long, although a frame is on its way. */
    private static final long STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

    /** Calls that hold all memory are ended when nothing has moved for so long. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How often one that waits for memory for an answer looks. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The least that a connection may have waiting, whatever the others have. */
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
    /** Connections with calls that wait for others' answers to be sent. */
    private final Queue<Connection> stalled = new ConcurrentLinkedQueue<>();

    private final AtomicLong unsent = new AtomicLong();
    private final AtomicLong remembered = new AtomicLong();
    /** Memory of frames that were let in and have not been asked for again yet. */
    private long granted;

    private volatile int connections;
    /** True if somebody waits in the line. */
    private volatile boolean isShort;
    /** How often shares have been doubled, since nothing moved. */
    private volatile int relief;

    private volatile boolean isClosed;
    private volatile @Nullable Thread thread;

    // Of the thread alone.
    private long usedBefore;
    private long movedAt;

    /**
     * Shares what a pool may hold.
     *
     * @param isIdle whether no request is being run, or could be
     * @param isArriving whether a long frame is being read
     * @param endThoseThatWait ends calls that wait for others, with an error
     */
    Admission(
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

    /** How many connections there are. */
    void setConnections(int connections) {
        this.connections = connections;
    }

    /**
     * Whether the memory of a connection's next frame may be taken.
     *
     * @return false if it is to wait, in line
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there is never that much
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

    /** A connection does not wait any more for the frame that it waited for. */
    void leave(Connection connection) {
        synchronized (line) {
            line.remove(connection);
            if (connection.takeGrant()) {
                granted -= connection.wanted();
            }
            connection.stopsWaiting();
        }
    }

    /** The most bytes of requests that a connection may have waiting now, if it may have so many in any case. */
    long share(long usual) {
        if (most == Long.MAX_VALUE || pool.usedBytes() <= requests) {
            return Math.min(usual, requests);
        }
        long share = Math.max(LEAST_SHARE, requests / 2 / Math.max(1, connections));
        return Math.min(usual, share << relief);
    }

    /** Counts bytes of answers that are to be sent, or have been. */
    void unsent(long bytes) {
        unsent.addAndGet(bytes);
        if (bytes < 0 && !stalled.isEmpty()) {
            wake();
        }
    }

    /** Whether calls may be run, since enough of the answers have been sent. */
    boolean hasRoomForAnswers() {
        return unsent.get() <= answers << relief;
    }

    /** Waits until there is memory for a long answer, but not longer than answers are being sent. */
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

    /** A connection has a call that was put off for want of memory for its answer. */
    void stall(Connection connection) {
        stalled.add(connection);
        startOrWake();
    }

    /** Counts bytes of answers that are kept in case they are asked for again, or not any more. */
    void remembered(long bytes) {
        remembered.addAndGet(bytes);
    }

    /** The most bytes of answers that a connection may keep now, if it may keep so many in any case. */
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
            } catch (Throwable e) { // or nobody would be let in any more
                LOG.error("sharing memory failed", e);
            }
        }
    }

    /** Lets in those in line whose frames fit. */
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

    /** Sees to it that things move. */
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

    /** Whether all that was let in has been handled: what is in use is held by calls that wait for others. */
    private boolean hasHandledAll() {
        synchronized (line) {
            if (granted > 0) {
                return false;
            }
        }
        return unsent.get() == 0 && !isArriving.getAsBoolean();
    }

    /**
     * Lets in one of those whose calls keep the least: the others' calls may wait for what it sends.
     *
     * @param leavesRoom whether room for one more has to be left, for one that the others wait for and that is late
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
