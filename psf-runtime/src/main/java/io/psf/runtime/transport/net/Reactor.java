package io.psf.runtime.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.Receiver;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the channels and dispatches the received frames to their receivers. One thread at a time does so, the leader
 * (Leader/Followers pattern). A thread that awaits an answer leads, if there is one, so that the answer is not passed
 * from thread to thread; else a thread of the reactor's own leads. A leader that a receiver blocks for long, in a slow
 * handler or a callback, loses the lead to another thread.
 */
final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);

    /**
     * For this long after a thread has awaited something, the reactor's own thread does not block in the selector:
     * another thread may soon await and lead.
     */
    private static final long YIELDS_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The poll interval of the reactor's own thread in that time. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The longest poll interval of the reactor's own thread while another thread leads. */
    private static final long LONGEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A leader that a receiver blocks for longer than this, after {@link #mayTakeLong}, loses the lead. */
    private static final long RELIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A thread that polls shared memory also calls the selector, a system call, at most once in this time. */
    private static final long SELECT_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    /** The check interval after a failure, for example for lack of memory. */
    private static final long CHECK_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The longest time that a waiting thread is parked or blocked before it checks its condition again. */
    private static final long PARKED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String name;
    /** How long the leader spins. */
    private final SpinLimit spinLimit;

    private final Selector selector;
    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final Deque<Thread> followers = new ConcurrentLinkedDeque<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<WireChannel> channels = ConcurrentHashMap.newKeySet();
    /** Run by the leader at intervals, before the channels are checked. */
    private final Set<Runnable> onCheck = ConcurrentHashMap.newKeySet();

    /** The channels that the leader polls, since a selector does not report all their bytes. Copy on write. */
    private volatile WireChannel[] polled = {};
    /** Channels with deferred writes. The list is its own lock. */
    private final ArrayList<WireChannel> deferred = new ArrayList<>();

    private volatile boolean hasDeferred;
    private volatile boolean selecting;
    /** True if frames arrive that no thread awaits, as on a server: then only the reactor's own thread leads. */
    private volatile boolean serving;

    private volatile BooleanSupplier isBusy = () -> false;

    private volatile boolean closed;
    private volatile long lastWait = System.nanoTime() - YIELDS_LEAD_NANOS;
    /**
     * The number of the dispatch that may block, while it runs; else 0. The thread that sets it back to 0 controls the
     * lead: the leader itself, or the thread that takes the lead away from it.
     */
    private final AtomicLong longDispatch = new AtomicLong();

    // Fields of the leader. Those that the relieving thread reads are written before longDispatch.
    /** The number of dispatches so far. */
    private long dispatches;
    /** The number of the current dispatch; 0 for none. */
    private long current;
    /** The number of the last dispatch that may block. */
    private long lastLong;

    private long longSince;
    private @Nullable WireChannel currentChannel;

    /** The reactor's own thread; the last one once the reactor is closed. */
    private volatile @Nullable Thread own;

    private final Thread watch;

    private final LogLimiter failures = new LogLimiter();
    private final Runnable checks = this::check;

    /** The interval of the checks. */
    private volatile long checkNanos;

    private volatile boolean checkSoon;
    /** True if a check has been requested and has not begun. */
    private volatile boolean checkAsked;

    /** A clock that does not advance while this process is suspended. */
    private volatile long clock;

    /** The same time, accessed by the leader only. */
    private long counted;

    private Ready ready = new Ready();
    private long lastCheck = System.nanoTime();
    private long lastSelect = System.nanoTime();
    /**
     * Collects the keys that are ready. The object is reused, since a spinning thread selects a million times a second.
     */
    private static final class Ready implements Consumer<SelectionKey> {
        final List<SelectionKey> keys = new ArrayList<>();

        @Override
        public void accept(SelectionKey key) {
            keys.add(key);
        }
    }

    /**
     * Creates a reactor, with its thread.
     *
     * @param spinNanos the usual time that a thread spins before it blocks
     * @param checkNanos the interval at which channels are checked for peers that keep this side waiting
     */
    Reactor(String name, long spinNanos, long checkNanos) {
        this.name = name;
        this.spinLimit = new SpinLimit(spinNanos);
        this.checkNanos = checkNanos;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        this.watch = new Thread(this::watch, name + "-watch");
        watch.setDaemon(true);
    }

    /** Starts the threads. */
    void start() {
        startOwn();
        watch.start();
    }

    private void startOwn() {
        Thread thread = new Thread(this::run, name);
        thread.setDaemon(true);
        own = thread;
        thread.start();
    }

    // Methods for channels.

    /** Adds a channel: the leader reads from it from now on. */
    void add(WireChannel channel) throws IOException {
        channels.add(channel);
        if (channel.wire().isPolled()) {
            addPolled(channel);
        }
        channel.registered(register(channel.wire().socket(), SelectionKey.OP_READ, channel));
        wakeUp();
    }

    /** Adds a channel whose bytes the leader polls for, besides the selector. */
    synchronized void addPolled(WireChannel channel) {
        WireChannel[] more = Arrays.copyOf(polled, polled.length + 1);
        more[polled.length] = channel;
        polled = more;
    }

    private synchronized void removePolled(WireChannel channel) {
        polled = Arrays.stream(polled).filter(other -> other != channel).toArray(WireChannel[]::new);
    }

    /** Registers work that the leader runs whenever the channels are checked. */
    void onCheck(Runnable work) {
        onCheck.add(work);
    }

    void removeOnCheck(Runnable work) {
        onCheck.remove(work);
    }

    /** Shortens the check interval to at most that time. */
    synchronized void checkEvery(long nanos) {
        checkNanos = Math.min(checkNanos, nanos);
    }

    /** Requests a check after {@link #CHECK_SOON_NANOS}. */
    void checkSoon() {
        checkSoon = true;
    }

    /** Returns the time that {@link WireChannel#check} gets. May be stale by a check interval. */
    long clock() {
        return clock;
    }

    /** Logs a failure, as an error at most once a minute. Never fails itself, not even for lack of memory. */
    void report(String what, Throwable failure) {
        try {
            if (failures.allows()) {
                LOG.error("{} failed; for a minute, further failures are logged at debug level", what, failure);
            } else {
                LOG.debug("{} failed", what, failure);
            }
        } catch (Error e) { // logging needs memory, too
            checkSoon = true;
        }
    }

    /**
     * Registers a socket with the selector.
     *
     * @param attachment a channel, or a {@link Runnable} that runs when the socket is ready
     */
    SelectionKey register(SelectableChannel socket, int operations, Object attachment) throws IOException {
        try {
            return socket.register(selector, operations, attachment);
        } catch (ClosedSelectorException e) {
            throw new IOException("transport: closed", e);
        }
    }

    void remove(WireChannel channel) {
        channels.remove(channel);
        if (channel.wire().isPolled()) {
            removePolled(channel);
        }
    }

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

    /**
     * Blocks until closed sockets are removed from the selector, which frees their ports; for a second at most. Does
     * nothing on the leader.
     */
    void releaseClosed() {
        if (isLedHere() || closed) {
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        execute(() -> {
            try {
                selector.selectNow(ready);
            } catch (IOException e) {
                LOG.debug("selecting: {}", e.toString());
            } finally {
                done.countDown();
            }
        });
        try {
            done.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Passes a frame to its receiver, on the leader. If the receiver declares that it {@link #mayTakeLong may block},
     * and it does, another thread takes the lead. This thread then must not change any state.
     */
    void dispatch(Receiver receiver, WireChannel channel, Frame frame) {
        long begun = beginDispatch(channel);
        try {
            receiver.received(channel, frame);
        } finally {
            endDispatch(begun);
        }
    }

    /** Does what {@link #dispatch} does, with the end of the channel instead of a frame. */
    void dispatchEnd(Receiver receiver, WireChannel channel, PsException cause) {
        long begun = beginDispatch(channel);
        mayTakeLong(); // no frame follows
        try {
            receiver.closed(channel, cause);
        } finally {
            endDispatch(begun);
        }
    }

    private long beginDispatch(WireChannel channel) {
        currentChannel = channel;
        current = ++dispatches;
        return current;
    }

    /** Called when the receiver has fixed the order of the frame: from now on this thread may lose the lead. */
    void mayTakeLong() {
        if (isLedHere() && current != 0) {
            lastLong = current;
            longSince = System.nanoTime();
            longDispatch.set(current);
        }
    }

    private void endDispatch(long ended) {
        if (lastLong == ended && !longDispatch.compareAndSet(ended, 0)) {
            while (isLedHere()) { // another thread is taking the lead at this moment
                Thread.onSpinWait();
            }
        } else if (isLedHere()) {
            current = 0;
        }
    }

    /** Wakes the waiting threads, so that they check their conditions. */
    void unparkFollowers() {
        followers.forEach(LockSupport::unpark);
    }

    /** Queues a task for the leader and wakes it. Does not block. */
    void execute(Runnable task) {
        tasks.add(task);
        wakeUp();
    }

    /** True if this thread leads. */
    boolean isLedHere() {
        return leader.get() == Thread.currentThread();
    }

    /** Defers the flush of a channel to the leader, before it blocks, or to the next thread that awaits something. */
    void defer(WireChannel channel) {
        synchronized (deferred) {
            deferred.add(channel);
            hasDeferred = true;
        }
        wakeUp();
    }

    private void flushDeferred() {
        while (hasDeferred) {
            WireChannel channel;
            synchronized (deferred) {
                int last = deferred.size() - 1;
                if (last < 0) {
                    hasDeferred = false;
                    return;
                }
                channel = deferred.remove(last);
                hasDeferred = last > 0;
            }
            channel.flush();
        }
    }

    /** Wakes the leader if it is blocked in the selector. */
    void wakeUp() {
        if (selecting && !isLedHere()) {
            selector.wakeup();
        }
    }

    // Leading.

    /**
     * Blocks until a condition is true, and polls the channels meanwhile if this thread becomes the leader.
     *
     * @param over the condition; the thread that makes it true unparks this thread
     * @param deadline as {@link System#nanoTime} counts
     * @return true if the condition became true before the deadline
     */
    boolean await(BooleanSupplier over, long deadline) throws InterruptedException {
        flushDeferred();
        lastWait = System.nanoTime();
        Thread me = Thread.currentThread();
        while (!over.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long left = deadline - System.nanoTime();
            if (left <= 0 || closed) {
                return over.getAsBoolean();
            }
            if (!serving && leader.compareAndSet(null, me)) {
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
            if (leader.get() == own && !serving) {
                wakeUp(); // the reactor's own thread gives up the lead
            }
            if (!over.getAsBoolean() && (serving || leader.get() != null)) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            followers.remove(me);
        }
    }

    private void lead(BooleanSupplier over, long deadline) {
        long idleSince = System.nanoTime();
        while (!over.getAsBoolean()
                && isLedHere()
                && !closed
                && !Thread.currentThread().isInterrupted()) {
            long now = System.nanoTime();
            long left = deadline - now;
            if (left <= 0) {
                return;
            }
            boolean spin = spinLimit.allows(now - idleSince);
            // Blocks for a limited time: another thread that makes the condition true does not wake the selector.
            if (turn(spin ? 0 : Math.min(left, PARKED_NANOS))) {
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
        if (leader.compareAndSet(me, null)) {
            Thread next = followers.peek();
            if (next != null) {
                LockSupport.unpark(next);
            }
        }
    }

    private void run() {
        Thread me = Thread.currentThread();
        long pause = POLL_NANOS;
        while (!closed && own == me) {
            try {
                pause = runOnce(me, pause);
            } catch (RuntimeException | Error e) { // no failure of one channel; this thread has to read on
                report("reading from connections", e);
            }
        }
        if (closed) {
            end();
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
        if (!leader.compareAndSet(null, me)) {
            LockSupport.parkNanos(this, pause);
            return Math.min(2 * pause, LONGEST_POLL_NANOS); // the leader may keep the lead for long
        }
        try {
            long idleSince = System.nanoTime();
            while (isLedHere() && !closed && (serving || followers.isEmpty())) {
                Thread.interrupted(); // clears an interrupt that a receiver left behind
                boolean wait = stays && (!spinLimit.allows(System.nanoTime() - idleSince) || isBusy.getAsBoolean());
                if (turn(wait ? checkNanos : 0)) {
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

    /**
     * Polls the channels once, and blocks if nothing has arrived. A failure of one channel closes or suspends that
     * channel and no other. A thread that loses the lead leaves the rest to the new leader.
     *
     * @param nanos how long to block at most; 0 for not at all
     * @return true if something had arrived
     */
    private boolean turn(long nanos) {
        boolean busy = false;
        try {
            busy = runTasks();
            for (WireChannel channel : polled) {
                if (!isLedHere()) {
                    break;
                }
                busy |= poll(channel);
            }
            flushDeferred();
            if (!isLedHere()) {
                return true;
            }
            long wait = busy ? 0 : nanos;
            if (wait > 0 || polled.length == 0 || System.nanoTime() - lastSelect > SELECT_NANOS) {
                List<SelectionKey> some = ready.keys;
                select(wait);
                lastSelect = System.nanoTime();
                if (!some.isEmpty()) {
                    handleAll(some);
                    flushDeferred();
                    busy = true;
                }
            }
            return busy || !isLedHere();
        } catch (IOException | ClosedSelectorException e) {
            if (!closed) {
                report("selecting", e);
            }
        } catch (RuntimeException | Error e) {
            report("polling the connections", e);
        }
        return busy;
    }

    private boolean runTasks() {
        boolean some = false;
        while (isLedHere()) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            some = true;
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                report("a task of the reactor", e);
            }
        }
        return some;
    }

    private boolean poll(WireChannel channel) {
        try {
            return channel.poll();
        } catch (RuntimeException | Error e) {
            channel.failed(e);
            return true;
        }
    }

    private void handleAll(List<SelectionKey> some) {
        try {
            for (int i = 0; i < some.size() && isLedHere(); i++) {
                handle(some.get(i)); // the remaining keys are selected again
            }
        } finally {
            some.clear();
        }
    }

    /** Checks all channels, on the leader. */
    private void check() {
        checkAsked = false;
        long now = System.nanoTime();
        long passed = Math.min(now - lastCheck, 2 * checkNanos); // a longer time means that this process was suspended
        counted += passed;
        clock = counted;
        lastCheck = now;
        for (Runnable work : onCheck) {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                report("checking a listener", e);
            }
        }
        for (WireChannel channel : channels) {
            if (!isLedHere()) {
                checkSoon = true;
                return;
            }
            try {
                channel.check(clock);
            } catch (RuntimeException | Error e) {
                channel.failed(e);
            }
        }
    }

    private void select(long nanos) throws IOException {
        if (nanos == 0) {
            selector.selectNow(ready);
            return;
        }
        selecting = true;
        try {
            Thread me = Thread.currentThread();
            boolean somethingToDo =
                    hasDeferred || !tasks.isEmpty() || closed || me == own && !serving && !followers.isEmpty();
            for (WireChannel channel : polled) {
                somethingToDo |= !prepareToSleep(channel);
            }
            if (somethingToDo) {
                selector.selectNow(ready);
            } else {
                selector.select(ready, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
            }
        } finally {
            selecting = false;
        }
    }

    private boolean prepareToSleep(WireChannel channel) {
        try {
            return channel.prepareToSleep();
        } catch (RuntimeException | Error e) {
            channel.failed(e);
            return false;
        }
    }

    private void handle(SelectionKey key) {
        if (key.attachment() instanceof WireChannel channel) {
            try {
                channel.selected(key.isReadable(), key.isWritable());
            } catch (CancelledKeyException e) {
                LOG.trace("closed meanwhile", e);
            } catch (RuntimeException | Error e) {
                channel.failed(e);
            }
        } else if (key.attachment() instanceof Runnable accept) {
            accept.run();
        }
    }

    // Taking the lead away.

    private void watch() {
        long lastAsked = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(this, RELIEF_NANOS);
            try {
                relieve();
                keepOwn();
                long now = System.nanoTime();
                long interval = checkSoon ? Math.min(CHECK_SOON_NANOS, checkNanos) : checkNanos;
                if (now - lastAsked >= interval && !checkAsked) {
                    lastAsked = now;
                    checkSoon = false;
                    checkAsked = true;
                    execute(checks);
                }
            } catch (RuntimeException | Error e) { // without this thread no leader would lose the lead
                checkAsked = false;
                report("watching the thread that leads", e);
            }
        }
    }

    /** Takes the lead away from a thread that a receiver has blocked for long, and gives it to the next thread. */
    private void relieve() {
        long kept = longDispatch.get();
        if (kept == 0 || System.nanoTime() - longSince <= RELIEF_NANOS) {
            return;
        }
        Ready fresh = new Ready();
        if (!longDispatch.compareAndSet(kept, 0)) {
            return;
        }
        // From here on the old leader finds, when its receiver returns, that it has lost the lead.
        Thread thread = leader.get();
        WireChannel channel = currentChannel;
        current = 0;
        ready = fresh;
        try {
            if (channel != null) { // more of its frames may be in the buffer, which the selector does not report
                tasks.add(channel.resumeReading());
            }
        } finally {
            if (thread == own) {
                own = null;
            }
            leader.set(null);
        }
        LOG.debug("{} is blocked by a receiver: it loses the lead", thread == null ? "a thread" : thread.getName());
    }

    private void keepOwn() {
        Thread thread = own;
        if (!closed && (thread == null || !thread.isAlive())) {
            startOwn();
        }
    }

    /** Closes the reactor: no more frames are received. Waits for its thread, 5 seconds at most. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        LockSupport.unpark(own);
        LockSupport.unpark(watch);
        unparkFollowers();
        if (Thread.currentThread() != own) {
            awaitEnd();
        }
    }

    private void awaitEnd() {
        Thread last = own;
        try {
            if (last != null) {
                last.join(TimeUnit.SECONDS.toMillis(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the channels and runs the remaining tasks, which notify the receivers. */
    private void end() {
        channels.forEach(WireChannel::close);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                report("a task at the reactor's end", e);
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector: {}", e.toString());
        }
    }
}
