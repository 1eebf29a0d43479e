package io.psf.runtime.internal.server.lane;

import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.FullHeap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all work of its shards, one piece at a time, in the order that {@link TurnQueue} gives it. A lane has a thread
 * of its own. While the lane is idle, another thread may run a quick turn itself, which saves the dispatch.
 */
public final class Lane implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** How long a thread waits for memory before it tries again. */
    public static final long NO_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final TurnQueue queue = new TurnQueue(Lane::runQuietly);
    /** Held by the thread that runs a piece of work. */
    private final ReentrantLock running = new ReentrantLock();

    /** Not started if the lane has a runner. */
    private final Thread thread;
    /** Runs the work in the place of the thread; null for none. */
    private final @Nullable LaneRunner runner;

    private final TupleReader reader = new TupleReader();
    private final TupleWriter writer = new TupleWriter();
    private final FramePool pool;
    private Scratch scratch;
    private final ReadsOfChain reads = new ReadsOfChain();
    /** The read-only function that runs; null for none. */
    private @Nullable String reading;
    /** The number of pieces of work that have begun. */
    private long turn;
    /** The turn that the thread runs which has just received it; null for none. */
    private @Nullable Turn received;

    /** True if no other thread may run a turn. */
    private volatile boolean pinned;

    private volatile boolean closed;
    /** Run on the thread before it ends. */
    private volatile Runnable last = () -> {};

    /**
     * Creates a lane and starts its thread.
     *
     * @param pool the pool of the scratch memory
     */
    public Lane(String name, FramePool pool) {
        this(name, pool, null);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Creates a lane without a thread.
     *
     * @param pool the pool of the scratch memory
     * @param runner runs the work; null for the lane's thread
     */
    public Lane(String name, FramePool pool, @Nullable LaneRunner runner) {
        this.pool = pool;
        this.scratch = new Scratch(pool);
        this.runner = runner;
        this.thread = new Thread(this::run, name);
    }

    private void run() {
        loop();
        running.lock();
        try {
            last.run();
        } finally {
            running.unlock();
        }
    }

    private void loop() {
        while (true) {
            Runnable work;
            try {
                work = queue.take();
            } catch (InterruptedException e) { // by a handler, unless the lane is closing
                if (closed) {
                    return;
                }
                continue;
            } catch (OutOfMemoryError e) { // blocking needs memory, too
                LockSupport.parkNanos(this, NO_MEMORY_NANOS);
                continue;
            }
            lock();
            try {
                turn++;
                work.run();
            } catch (Throwable e) { // no work may end the lane
                logFailed(e);
            } finally {
                running.unlock();
                queue.ended();
            }
            if (closed && queue.isEmpty()) {
                return;
            }
        }
    }

    /** Waits for its turn to run work, also without the memory that a contended lock needs. */
    private void lock() {
        while (true) {
            try {
                running.lock();
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(this, NO_MEMORY_NANOS);
            }
        }
    }

    /** Runs a piece of work, and logs its failure. */
    static void runQuietly(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) { // the others run all the same
            logFailed(e);
        }
    }

    private static void logFailed(Throwable e) {
        FullHeap.report(e);
        try {
            LOG.error("work on a lane failed", Names.printable(e));
        } catch (OutOfMemoryError full) {
            // Not logged: memory may be available again once this work's memory is collected.
        }
    }

    /** True if the current thread is the lane's own thread, which reads from no connection. */
    public boolean isOwnThread() {
        return Thread.currentThread() == thread;
    }

    /** True if the current thread runs the lane. */
    public boolean isHere() {
        return running.isHeldByCurrentThread();
    }

    /** True if no work waits or runs. May be stale. */
    public boolean isIdle() {
        return queue.isIdle();
    }

    /** Returns the number of pieces of work that wait or run. May be stale. */
    public int depth() {
        return queue.depth();
    }

    /** True if work waits for the piece that runs. May be stale. */
    public boolean hasWaiting() {
        return !queue.isEmpty();
    }

    /** Returns the lane's name. */
    String name() {
        return thread.getName();
    }

    /** Queues a piece of work on the lane. Drops the work if the lane is closed. */
    @Override
    public void execute(Runnable work) {
        if (closed) {
            LOG.debug("{} is closed; dropped a piece of work", thread.getName());
        } else if (runner != null) {
            runner.execute(() -> runAsGiven(work));
        } else {
            add(work);
        }
    }

    private void add(Runnable work) {
        try {
            queue.add(work);
        } catch (OutOfMemoryError e) { // the work is lost, and a future may be all that has the error
            FullHeap.report(e);
            throw e;
        }
    }

    /** Runs a piece of work of a lane without a thread. The runner gets what it throws. */
    private void runAsGiven(Runnable work) {
        running.lock();
        try {
            turn++;
            work.run();
        } finally {
            running.unlock();
        }
    }

    /** Completes a future once a time has passed. */
    void completeAfter(CompletableFuture<Void> due, Duration delay) {
        if (runner == null) {
            due.completeOnTimeout(null, delay.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            runner.completeAfter(due, delay);
        }
    }

    /** True if a runner runs all work, also what would block a thread. */
    public boolean hasRunner() {
        return runner != null;
    }

    /**
     * Runs a turn on the current thread if no other work waits or runs, and the lane is not pinned.
     *
     * @param from notified once the turn's position in the order is fixed, before the handler runs
     * @return true if the turn was run, or was dropped because the lane has just closed
     */
    public boolean runHere(Turn turn, Channel from) {
        if (closed || pinned || !queue.beginIfIdle()) {
            return false;
        }
        boolean interrupted = Thread.interrupted();
        try {
            from.mayTakeLong();
            lock();
        } catch (RuntimeException | Error e) {
            queue.ended(); // else no thread would take the lane for idle again
            throw e;
        }
        try {
            if (closed) { // closed just now: the shards' memory may be released
                return true;
            }
            this.turn++;
            received = turn;
            runQuietly(turn);
        } finally {
            received = null;
            running.unlock();
            queue.ended();
            Thread.interrupted(); // set by the handler: not an interrupt of this thread
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return true;
    }

    /** True on the lane while a turn runs on the thread that has just received it: it begins when it arrives. */
    public boolean runsAtOnce(Turn turn) {
        return received == turn;
    }

    /** Queues a turn on the lane, before turns of a lower priority. */
    public void execute(Turn turn, int priority) {
        if (priority == 0 || closed || runner != null) {
            execute(turn);
        } else {
            queue.add(turn, priority);
        }
    }

    /** Runs a piece of work at once if the current thread runs the lane; otherwise queues it. */
    public void executeHere(Runnable work) {
        if (isHere()) {
            work.run();
        } else {
            execute(work);
        }
    }

    /** Returns the reader of this lane's requests, used for one request at a time. */
    public TupleReader reader() {
        return reader;
    }

    /** Returns the writer of this lane's answers, used for one answer at a time. */
    public TupleWriter writer() {
        return writer;
    }

    /** Returns the pool of the scratch memory. */
    public FramePool pool() {
        return pool;
    }

    /** Returns the memory from which handlers on this lane allocate their answers. */
    public Scratch scratch() {
        return scratch;
    }

    /** Returns the read-only function whose call runs, which changes no shard of this lane; null for none. */
    public @Nullable String reading() {
        return reading;
    }

    public void setReading(@Nullable String function) {
        this.reading = function;
    }

    /** Runs work that a read-only function has put off: it changes nothing, either. */
    public void reading(String function, Runnable work) {
        reading = function;
        try {
            work.run();
        } finally {
            reading = null;
        }
    }

    /** Returns the number of the piece of work that runs. */
    public long turn() {
        return turn;
    }

    /** Returns the calls of the chain that runs whose answers wait for what their shards have put off. */
    public ReadsOfChain reads() {
        return reads;
    }

    /** Frees what handlers have used that have been answered, or have left their memory. */
    public void handled() {
        if (!reads.isEmpty()) {
            return;
        }
        scratch.reset();
        reader.end();
    }

    /** Leaves the scratch memory to a handler that answers later. */
    public void leaveScratch() {
        if (!scratch.isEmpty()) {
            scratch.abandon();
            scratch = new Scratch(pool);
        }
    }

    /**
     * Runs everything on the lane's own thread from now on: a context of a device, for example, belongs to one thread.
     */
    public void pin() {
        pinned = true;
    }

    /**
     * Runs work on the lane's own thread, in its turn, and waits for it. Must not be called on a lane that waits for
     * this one.
     *
     * @throws PsException with {@code CLOSED} if the lane ends before
     */
    public <T> T runAndWait(Supplier<T> work) {
        if (closed) {
            throw new PsException(PsException.Code.CLOSED, "the server ends");
        }
        CompletableFuture<T> done = CompletableFuture.supplyAsync(work, this);
        try {
            return done.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CLOSED, "the server ends", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof RuntimeException thrown ? thrown : new IllegalStateException(cause);
        }
    }

    /** Runs the queued work, and ends the lane. Blocks for at most 5 seconds. */
    @Override
    public void close() {
        close(() -> {});
    }

    /**
     * Runs the queued work, and ends the lane. Blocks for at most 5 seconds.
     *
     * @param after run last, on the lane's own thread
     */
    public void close(Runnable after) {
        last = after;
        execute(() -> closed = true);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closed = true;
        thread.interrupt();
    }
}
