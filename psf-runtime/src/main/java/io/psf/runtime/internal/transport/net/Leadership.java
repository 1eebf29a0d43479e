package io.psf.runtime.internal.transport.net;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lead of a selector loop (Leader/Followers pattern): one thread at a time runs the loop, the leader. A thread that
 * awaits an answer leads, if there is one, so that the answer is not passed from thread to thread; else a thread of the
 * reactor's own leads. A leader that a receiver blocks for long, in a slow handler or a callback, loses the lead to
 * another thread.
 */
final class Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    /**
     * For this long after a thread has awaited something, the reactor's own thread does not block in the selector:
     * another thread may soon await and lead.
     */
    private static final long YIELDS_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The poll interval of the reactor's own thread in that time. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The longest poll interval of the reactor's own thread while another thread leads. */
    private static final long LONGEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The longest time that a waiting thread is parked or blocked before it checks its condition again. */
    private static final long PARKED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String name;
    private final LeaderThread leader;
    private final ChannelChecks checks;
    /** How long the leader spins. */
    private final SpinLimit spinLimit;

    private final SelectorLoop loop;
    private final Dispatches dispatches;
    private final Deque<Thread> followers = new ConcurrentLinkedDeque<>();

    /** True if frames arrive that no thread awaits, as on a server: then only the reactor's own thread leads. */
    private volatile boolean serving;

    private volatile BooleanSupplier isBusy = () -> false;
    private volatile long lastWait = System.nanoTime() - YIELDS_LEAD_NANOS;

    /** The reactor's own thread; the last one once the loop is stopped. */
    private volatile @Nullable Thread own;

    /**
     * Creates the lead, and its loop.
     *
     * @param name of the reactor's own thread
     * @param spinNanos the usual time that a thread spins before it blocks
     */
    Leadership(String name, LeaderThread leader, ChannelChecks checks, long spinNanos) {
        this.name = name;
        this.leader = leader;
        this.checks = checks;
        this.spinLimit = new SpinLimit(spinNanos);
        this.loop = new SelectorLoop(leader, checks.failures(), this::isLeadWanted);
        this.dispatches = new Dispatches(leader);
    }

    SelectorLoop loop() {
        return loop;
    }

    Dispatches dispatches() {
        return dispatches;
    }

    // The threads that await something.

    /**
     * Blocks until a condition is true, and polls the channels meanwhile if this thread becomes the leader.
     *
     * @param over the condition; the thread that makes it true unparks this thread
     * @param deadline as {@link System#nanoTime} counts
     * @return true if the condition became true before the deadline
     */
    boolean await(BooleanSupplier over, long deadline) throws InterruptedException {
        loop.flushDeferred();
        lastWait = System.nanoTime();
        Thread me = Thread.currentThread();
        while (!over.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long left = deadline - System.nanoTime();
            if (left <= 0 || loop.isStopped()) {
                return over.getAsBoolean();
            }
            if (!serving && leader.take(me)) {
                try {
                    lead(over, deadline);
                } finally {
                    resign(me);
                    lastWait = System.nanoTime();
                }
            } else {
                follow(me, over, Math.min(left, PARKED_NANOS));
            }
        }
        return true;
    }

    private void follow(Thread me, BooleanSupplier over, long nanos) {
        followers.add(me);
        try {
            if (leader.is(own) && !serving) {
                loop.wakeUp(); // the reactor's own thread gives up the lead
            }
            if (!over.getAsBoolean() && (serving || !leader.is(null))) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            followers.remove(me);
        }
    }

    private void lead(BooleanSupplier over, long deadline) {
        long idleSince = System.nanoTime();
        while (!over.getAsBoolean()
                && leader.isCurrent()
                && !loop.isStopped()
                && !Thread.currentThread().isInterrupted()) {
            long now = System.nanoTime();
            long left = deadline - now;
            if (left <= 0) {
                return;
            }
            boolean spin = spinLimit.allows(now - idleSince);
            // Blocks for a limited time: another thread that makes the condition true does not wake the selector.
            if (loop.turn(spin ? 0 : Math.min(left, PARKED_NANOS))) {
                idleSince = arrived(idleSince);
            } else if (spin) {
                yieldProcessor();
            }
        }
    }

    /**
     * Records an arrival.
     *
     * @param idleSince when the thread began to wait for it
     * @return when the thread begins to wait for the next one
     */
    private long arrived(long idleSince) {
        long now = System.nanoTime();
        spinLimit.arrivedAfter(now - idleSince);
        return now;
    }

    /** Yields on every spin iteration, so that the thread that will answer can run if there is no other processor. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    private static void yieldProcessor() {
        Thread.yield();
    }

    private void resign(Thread me) {
        if (leader.resign(me)) {
            Thread next = followers.peek();
            if (next != null) {
                LockSupport.unpark(next);
            }
        }
    }

    /** Wakes the waiting threads, so that they check their conditions. */
    void unparkFollowers() {
        followers.forEach(LockSupport::unpark);
    }

    // The reactor's own thread.

    /**
     * Declares that frames arrive from now on that no thread awaits.
     *
     * @param isBusy true if other threads are processing received frames: spinning could then take the processor away
     *     from them
     */
    void serve(BooleanSupplier isBusy) {
        this.isBusy = isBusy;
        serving = true;
        LockSupport.unpark(own);
    }

    /** Starts the reactor's own thread. */
    void start() {
        Thread thread = new Thread(this::run, name);
        thread.setDaemon(true);
        own = thread;
        thread.start();
    }

    private void run() {
        Thread me = Thread.currentThread();
        long pause = POLL_NANOS;
        while (!loop.isStopped() && own == me) {
            try {
                pause = runOnce(me, pause);
            } catch (RuntimeException | Error e) { // no failure of one channel; this thread has to read on
                checks.failures().report("reading from connections", e);
            }
        }
        if (loop.isStopped()) {
            checks.closeChannels();
            loop.end(); // the remaining tasks notify the receivers
        }
    }

    /**
     * Leads for a while, or waits for the lead.
     *
     * @param pause how long to wait if another thread leads
     * @return the next pause
     */
    private long runOnce(Thread me, long pause) {
        boolean stays = serving || System.nanoTime() - lastWait > YIELDS_LEAD_NANOS;
        if (!stays) {
            LockSupport.parkNanos(this, POLL_NANOS);
        }
        if (!leader.take(me)) {
            LockSupport.parkNanos(this, pause);
            return Math.min(2 * pause, LONGEST_POLL_NANOS); // the leader may keep the lead for long
        }
        try {
            long idleSince = System.nanoTime();
            while (leader.isCurrent() && !loop.isStopped() && (serving || followers.isEmpty())) {
                Thread.interrupted(); // clears an interrupt that a receiver left behind
                boolean wait = stays && (!spinLimit.allows(System.nanoTime() - idleSince) || isBusy.getAsBoolean());
                if (loop.turn(wait ? checks.interval() : 0)) {
                    idleSince = arrived(idleSince);
                } else if (!stays) {
                    break;
                } else if (!wait) {
                    yieldProcessor();
                }
            }
        } finally {
            resign(me);
        }
        return POLL_NANOS;
    }

    /** True if the reactor's own thread leads, here, while another thread waits that could lead. */
    private boolean isLeadWanted() {
        return Thread.currentThread() == own && !serving && !followers.isEmpty();
    }

    /** Waits for the end of the reactor's own thread, 5 seconds at most, unless this is that thread. */
    void awaitEnd() {
        Thread last = own;
        LockSupport.unpark(last);
        unparkFollowers();
        try {
            if (last != null && Thread.currentThread() != last) {
                last.join(TimeUnit.SECONDS.toMillis(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // The watching thread.

    /** Takes the lead away from a thread that a receiver has blocked for long, so that another thread can lead. */
    void relieve() {
        long overdue = dispatches.overdue();
        if (overdue == 0) {
            return;
        }
        SelectorLoop.Ready fresh = new SelectorLoop.Ready(); // before, since there may be no memory
        if (!dispatches.relieve(overdue)) {
            return;
        }
        Thread thread = leader.thread();
        PolledChannel channel = dispatches.abandon();
        loop.replace(fresh);
        try {
            if (channel != null) { // more of its frames may be in the buffer, which the selector does not report
                loop.queue(channel.resumeReading());
            }
        } finally {
            if (thread == own) {
                own = null;
            }
            leader.depose();
        }
        LOG.debug("{} is blocked by a receiver: it loses the lead", thread == null ? "a thread" : thread.getName());
    }

    /** Replaces the reactor's own thread if it has lost the lead, or has ended. */
    void keepOwn() {
        Thread thread = own;
        if (!loop.isStopped() && (thread == null || !thread.isAlive())) {
            start();
        }
    }
}
