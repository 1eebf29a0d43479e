package io.psf.runtime.server;

import io.psf.runtime.server.shard.Tile;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.FramePool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all work of the shards it was given, one piece at a time: of the highest priority first, of one priority in the
 * order in which it came. What one connection sent to one shard keeps its order, whatever the priorities: the later brings
 * the earlier forward with it. It has a thread of its own; while there is nothing else to do, another thread may run a
 * quick turn itself, which saves handing it over.
 */
final class Lane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final BlockingQueue<Runnable> normal = new LinkedBlockingQueue<>();
    private final PriorityBlockingQueue<Ranked> higher = new PriorityBlockingQueue<>();
    private final PriorityBlockingQueue<Ranked> lower = new PriorityBlockingQueue<>();
    /** How many are in {@link #higher} and {@link #lower}: seldom any. */
    private final AtomicInteger ranked = new AtomicInteger();

    /** Pieces of work that wait or are being run. */
    private final AtomicInteger pending = new AtomicInteger();
    /** Held by whoever runs a piece of work. */
    private final ReentrantLock running = new ReentrantLock();

    private final AtomicLong arrivals = new AtomicLong();
    private final Thread thread;
    private final TupleReader reader = new TupleReader();
    private final TupleWriter writer = new TupleWriter();
    private final Tile tile = new Tile();
    private final FramePool pool;
    private Scratch scratch;
    private boolean readOnly;
    private volatile boolean closed;

    /** A request or a chain of them, in its turn. */
    interface Turn extends Runnable {
        /** Whether it has to be run before that one, which came later. */
        boolean precedes(Turn later);

        /** Its number among those of its connection. */
        long arrival();
    }

    /** A turn that has another priority than 0. */
    private record Ranked(int priority, long arrival, Turn turn) implements Comparable<Ranked> {
        @Override
        public int compareTo(Ranked other) {
            return priority == other.priority
                    ? Long.compare(arrival, other.arrival)
                    : Integer.compare(other.priority, priority);
        }
    }

    /**
     * A lane with its thread.
     *
     * @param pool where scratch memory is taken from
     */
    Lane(String name, FramePool pool) {
        this.pool = pool;
        this.scratch = new Scratch(pool);
        this.thread = new Thread(this::loop, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void loop() {
        while (true) {
            Runnable work;
            try {
                work = next();
            } catch (InterruptedException e) { // by a handler, unless this is the end
                if (closed) {
                    return;
                }
                continue;
            }
            running.lock();
            try {
                work.run();
            } catch (Throwable e) { // a lane outlives whatever runs on it
                logFailed(e);
            } finally {
                running.unlock();
                pending.getAndDecrement();
            }
            if (closed && normal.isEmpty() && ranked.get() == 0) {
                return;
            }
        }
    }

    private Runnable next() throws InterruptedException {
        if (ranked.get() == 0) {
            Runnable work = normal.take();
            // Most likely nothing of another priority has come since.
            return ranked.get() == 0 ? work : inOrder(work);
        }
        Ranked first = higher.poll();
        if (first != null) {
            ranked.decrementAndGet();
            return before(first.turn, true);
        }
        Runnable work = normal.poll();
        if (work != null) {
            return inOrder(work);
        }
        Ranked last = lower.poll();
        if (last == null) {
            pending.getAndIncrement();
            return () -> {}; // it is being put there
        }
        ranked.decrementAndGet();
        return before(last.turn, true);
    }

    /** Of those that are run together, all but one, which is counted when they have been run. */
    private void countTogether(int turns) {
        pending.addAndGet(1 - turns);
    }

    private Runnable inOrder(Runnable work) {
        return work instanceof Turn turn ? before(turn, false) : work;
    }

    /**
     * That turn, after every turn that has to be run before it, or before one of those, wherever it waits.
     *
     * @param isRanked whether it may have overtaken turns of priority 0
     */
    private Runnable before(Turn turn, boolean isRanked) {
        List<Turn> together = new ArrayList<>();
        together.add(turn);
        int unranked = 0;
        for (int i = 0; i < together.size(); i++) {
            Turn later = together.get(i);
            int known = together.size();
            if (isRanked || i > 0) {
                normal.removeIf(work -> work instanceof Turn other && other.precedes(later) && together.add(other));
            }
            unranked += together.size() - known;
            higher.removeIf(other -> other.turn.precedes(later) && together.add(other.turn));
            lower.removeIf(other -> other.turn.precedes(later) && together.add(other.turn));
        }
        ranked.addAndGet(unranked + 1 - together.size());
        if (together.size() == 1) {
            return turn;
        }
        countTogether(together.size());
        together.sort(Comparator.comparingLong(Turn::arrival));
        return () -> together.forEach(this::runQuietly);
    }

    private void runQuietly(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) { // the others have their turn all the same
            logFailed(e);
        }
    }

    private static void logFailed(Throwable e) {
        try {
            LOG.error("work on a lane failed", e);
        } catch (OutOfMemoryError full) {
            // The lane goes on without a word: the heap may be free again when this work's memory is.
        }
    }

    /** Whether this is the lane's own thread, which reads from no connection. */
    boolean isOwnThread() {
        return Thread.currentThread() == thread;
    }

    /** Whether this thread runs the lane now. */
    boolean isHere() {
        return running.isHeldByCurrentThread();
    }

    /** Whether nothing waits or runs. */
    boolean isIdle() {
        return pending.get() == 0;
    }

    /** Runs a piece of work on the lane, later. */
    void execute(Runnable work) {
        if (closed) {
            LOG.debug("{} is closed; dropped a piece of work", thread.getName());
        } else {
            pending.getAndIncrement();
            normal.add(work);
        }
    }

    /**
     * Runs a turn on this thread, now, if nothing else waits or runs.
     *
     * @param from told when the turn's place in the order is certain, and the handler begins
     * @return whether it was run
     */
    boolean runHere(Turn turn, Channel from) {
        if (closed || !pending.compareAndSet(0, 1)) {
            return false;
        }
        boolean interrupted = Thread.interrupted();
        from.mayTakeLong();
        running.lock();
        try {
            if (closed) { // just now: what the shards held may be gone
                return true;
            }
            runQuietly(turn);
        } finally {
            running.unlock();
            pending.getAndDecrement();
            Thread.interrupted(); // by the handler: not this thread's business
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return true;
    }

    /** Runs a turn on the lane, later: before what has a lower priority. */
    void execute(Turn turn, int priority) {
        if (priority == 0) {
            execute(turn);
        } else {
            pending.getAndIncrement();
            ranked.incrementAndGet();
            (priority > 0 ? higher : lower).add(new Ranked(priority, arrivals.getAndIncrement(), turn));
            if (normal.isEmpty()) {
                execute(() -> {}); // wakes the lane
            }
        }
    }

    /** Runs a piece of work on the lane: now, if this is the lane. */
    void executeHere(Runnable work) {
        if (isHere()) {
            work.run();
        } else {
            execute(work);
        }
    }

    /** Reads the requests of this lane, one at a time. */
    TupleReader reader() {
        return reader;
    }

    /** Writes the answers of this lane, one at a time. */
    TupleWriter writer() {
        return writer;
    }

    /** Where keys lie that shards of this lane look for. */
    Tile tile() {
        return tile;
    }

    /** The memory that handlers on this lane take for their answers. */
    Scratch scratch() {
        return scratch;
    }

    /** True while a call of a function that is read-only runs: it makes no rows on any shard of this lane. */
    boolean isReadOnly() {
        return readOnly;
    }

    void setReadOnly(boolean readOnly) {
        this.readOnly = readOnly;
    }

    /** Leaves the scratch memory to a handler that answers later. */
    void leaveScratch() {
        if (!scratch.isEmpty()) {
            scratch.abandon();
            scratch = new Scratch(pool);
        }
    }

    /** Runs what has come, and ends. */
    @Override
    public void close() {
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
