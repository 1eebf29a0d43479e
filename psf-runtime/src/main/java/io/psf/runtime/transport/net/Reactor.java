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
 * Brings in what comes over the channels, on one thread at a time, which leads: a thread that waits for an answer, if
 * there is one, so that the answer need not be handed from thread to thread; else a thread of the reactor's own. One
 * that is kept by what it has handed over, a slow handler or a callback, is relieved by another.
 */
final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);

    /** For so long after a thread has waited, the reactor's own does not wait at the selector: another may come. */
    private static final long GIVES_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How often it looks meanwhile. */
    private static final long LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How seldom it looks at most while another thread leads. */
    private static final long LOOKS_SELDOM_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Who is kept for longer is relieved. */
    private static final long RELIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How seldom who looks for what comes over shared memory asks the selector, which is a system call, too. */
    private static final long SELECTS_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    /** How soon channels are checked where something has failed for want of memory or the like. */
    private static final long CHECKS_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Parked threads look around now and then, whatever they have been told. */
    private static final long PARKED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String name;
    /** Of who leads. */
    private final Patience patience;

    private final Selector selector;
    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final Deque<Thread> followers = new ConcurrentLinkedDeque<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<WireChannel> channels = ConcurrentHashMap.newKeySet();
    /** Told now and then, by the leader, before the channels are checked. */
    private final Set<Runnable> onCheck = ConcurrentHashMap.newKeySet();

    /** Replaced as a whole. */
    private volatile WireChannel[] polled = {};
    /** Channels with something to write that was put off. */
    private final ArrayList<WireChannel> putOff = new ArrayList<>();

    private volatile boolean hasPutOff;
    private volatile boolean selecting;
    /** Whether frames come that nobody waits for: then the reactor's own thread leads. */
    private volatile boolean serving;

    private volatile BooleanSupplier isBusy = () -> false;

    private volatile boolean closed;
    private volatile long lastWait = System.nanoTime() - GIVES_WAY_NANOS;
    /**
     * The hand-over that may take long, while that lasts; else 0. The thread that sets it back to 0 has the lead: the leader
     * itself, or the one that relieves it.
     */
    private final AtomicLong longHandOver = new AtomicLong();

    // Of the leader; what is read by the thread that relieves it is written before longHandOver.
    /** Counts hand-overs. */
    private long handOvers;
    /** The hand-over under way; 0 for none. */
    private long handOver;
    /** The last one that may take long. */
    private long lastLong;

    private long longSince;
    private @Nullable WireChannel handedOverBy;

    /** The reactor's own thread; the last one when it is closed. */
    private volatile @Nullable Thread own;

    private final Thread watch;

    private final Seldom failures = new Seldom();
    private final Runnable checks = this::check;

    /** How often channels are checked. */
    private volatile long checkNanos;

    private volatile boolean checkSoon;
    /** True if a check has been asked for and has not begun. */
    private volatile boolean checkAsked;

    /** A time that does not count while this process stands still. */
    private volatile long clock;

    /** The same, of the leader. */
    private long counted;

    private Ready ready = new Ready();
    private long lastCheck = System.nanoTime();
    private long lastSelect = System.nanoTime();
    /** Takes what the selector finds: an object that is kept, since who spins selects a million times a second. */
    private static final class Ready implements Consumer<SelectionKey> {
        final List<SelectionKey> keys = new ArrayList<>();

        @Override
        public void accept(SelectionKey key) {
            keys.add(key);
        }
    }

    /**
     * A reactor with its thread.
     *
     * @param spinNanos how long to look again and again before sleeping, usually
     * @param checkNanos how often to check what peers keep this side waiting for
     */
    Reactor(String name, long spinNanos, long checkNanos) {
        this.name = name;
        this.patience = new Patience(spinNanos);
        this.checkNanos = checkNanos;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        this.watch = new Thread(this::watch, name + "-watch");
        watch.setDaemon(true);
    }

    /** Begins. */
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

    // What channels ask.

    /** Watches a channel from now on. */
    void add(WireChannel channel) throws IOException {
        channels.add(channel);
        if (channel.wire().isPolled()) {
            poll(channel);
        }
        channel.registered(register(channel.wire().socket(), SelectionKey.OP_READ, channel));
        wakeUp();
    }

    /** Looks for itself what has come over a channel, from now on. */
    synchronized void poll(WireChannel channel) {
        WireChannel[] more = Arrays.copyOf(polled, polled.length + 1);
        more[polled.length] = channel;
        polled = more;
    }

    private synchronized void unpoll(WireChannel channel) {
        polled = Arrays.stream(polled).filter(other -> other != channel).toArray(WireChannel[]::new);
    }

    /** Does something whenever channels are checked, on the thread that leads. */
    void onCheck(Runnable work) {
        onCheck.add(work);
    }

    void noLongerOnCheck(Runnable work) {
        onCheck.remove(work);
    }

    /** Checks channels at least so often. */
    synchronized void checkEvery(long nanos) {
        checkNanos = Math.min(checkNanos, nanos);
    }

    /** Checks channels soon. */
    void checkSoon() {
        checkSoon = true;
    }

    /** The time that {@link WireChannel#check} is told. */
    long clock() {
        return clock;
    }

    /** Says what went wrong, seldom, and whatever that takes. */
    void report(String what, Throwable failure) {
        try {
            if (failures.now()) {
                LOG.error("{} failed; the like is not said again for a minute", what, failure);
            } else {
                LOG.debug("{} failed", what, failure);
            }
        } catch (Error e) { // saying it takes memory, too
            checkSoon = true;
        }
    }

    /** Watches a socket; the attachment is a channel, or runs when the socket is ready. */
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
            unpoll(channel);
        }
    }

    /**
     * From now on frames come that nobody waits for.
     *
     * @param isBusy whether other threads work on what has come: then to look again and again may keep them from it
     */
    void serve(BooleanSupplier isBusy) {
        this.isBusy = isBusy;
        serving = true;
        LockSupport.unpark(own);
    }

    /** Returns when closed sockets are truly closed, and their ports free. */
    void forgetClosed() {
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
     * Hands over a frame, by who leads. If the receiver says that it {@link #mayTakeLong may take long}, and it does,
     * another thread takes the lead, and this one has to leave everything as it is.
     */
    void handOver(Receiver receiver, WireChannel channel, Frame frame) {
        long begun = beginHandOver(channel);
        try {
            receiver.received(channel, frame);
        } finally {
            endHandOver(begun);
        }
    }

    /** As {@link #handOver}, with the end of the channel. */
    void handOverEnd(Receiver receiver, WireChannel channel, PsException cause) {
        long begun = beginHandOver(channel);
        mayTakeLong(); // nothing comes behind it
        try {
            receiver.closed(channel, cause);
        } finally {
            endHandOver(begun);
        }
    }

    private long beginHandOver(WireChannel channel) {
        handedOverBy = channel;
        handOver = ++handOvers;
        return handOver;
    }

    /** The receiver has put the frame in its order: from now on this thread may be relieved. */
    void mayTakeLong() {
        if (isLedHere() && handOver != 0) {
            lastLong = handOver;
            longSince = System.nanoTime();
            longHandOver.set(handOver);
        }
    }

    private void endHandOver(long ended) {
        if (lastLong == ended && !longHandOver.compareAndSet(ended, 0)) {
            while (isLedHere()) { // the lead is being taken just now
                Thread.onSpinWait();
            }
        } else if (isLedHere()) {
            handOver = 0;
        }
    }

    /** What threads wait for may be over. */
    void unparkFollowers() {
        followers.forEach(LockSupport::unpark);
    }

    /** Does something on the thread that leads, soon. */
    void execute(Runnable task) {
        tasks.add(task);
        wakeUp();
    }

    /** Whether this thread leads. */
    boolean isLedHere() {
        return leader.get() == Thread.currentThread();
    }

    /** The channel is flushed by who leads, before sleeping, or by the next thread that waits. */
    void putOff(WireChannel channel) {
        synchronized (putOff) {
            putOff.add(channel);
            hasPutOff = true;
        }
        wakeUp();
    }

    private void flushPutOff() {
        while (hasPutOff) {
            WireChannel channel;
            synchronized (putOff) {
                int last = putOff.size() - 1;
                if (last < 0) {
                    hasPutOff = false;
                    return;
                }
                channel = putOff.remove(last);
                hasPutOff = last > 0;
            }
            channel.flush();
        }
    }

    /** Sees to it that who leads looks around. */
    void wakeUp() {
        if (selecting && !isLedHere()) {
            selector.wakeup();
        }
    }

    // Leading.

    /**
     * Waits, and brings in meanwhile what comes.
     *
     * @param over whether to go on; whoever makes it true unparks this thread
     * @param deadline as {@link System#nanoTime} counts
     * @return whether it was over before the deadline
     */
    boolean await(BooleanSupplier over, long deadline) throws InterruptedException {
        flushPutOff();
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
                wakeUp(); // it gives way
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
            boolean spin = patience.lasts(now - idleSince);
            // What it waits for may be over by another thread's doing, which does not wake a selector.
            if (turn(spin ? 0 : Math.min(left, PARKED_NANOS))) {
                idleSince = came(idleSince);
            } else if (spin) {
                giveWay();
            }
        }
    }

    /** Something has come; since when nothing has come after it. */
    private long came(long idleSince) {
        long now = System.nanoTime();
        patience.cameAfter(now - idleSince);
        return now;
    }

    /** To the one who is to answer, if there is no other processor. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    private static void giveWay() {
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
        long pause = LOOKS_NANOS;
        while (!closed && own == me) {
            try {
                pause = runOnce(me, pause);
            } catch (RuntimeException | Error e) { // what is not any channel's own: then nobody would read
                report("reading from connections", e);
            }
        }
        if (closed) {
            end();
        }
    }

    /**
     * Leads for a while, or waits to.
     *
     * @param pause how long to wait if another thread leads
     * @return the next pause
     */
    private long runOnce(Thread me, long pause) {
        boolean stays = serving || System.nanoTime() - lastWait > GIVES_WAY_NANOS;
        if (!stays) {
            LockSupport.parkNanos(this, LOOKS_NANOS);
        }
        if (!leader.compareAndSet(null, me)) {
            LockSupport.parkNanos(this, pause);
            return Math.min(2 * pause, LOOKS_SELDOM_NANOS); // who leads may wait for long
        }
        try {
            long idleSince = System.nanoTime();
            while (isLedHere() && !closed && (serving || followers.isEmpty())) {
                Thread.interrupted(); // by what it was handed to
                boolean wait = stays && (!patience.lasts(System.nanoTime() - idleSince) || isBusy.getAsBoolean());
                if (turn(wait ? checkNanos : 0)) {
                    idleSince = came(idleSince);
                } else if (!stays) {
                    break;
                } else if (!wait) {
                    giveWay();
                }
            }
        } finally {
            resign(me);
        }
        return LOOKS_NANOS;
    }

    /**
     * Brings in what has come, or waits for it. What goes wrong with one channel ends that one, or puts it off, and no
     * other; a thread that loses the lead leaves the rest to the one that has it.
     *
     * @param nanos how long to wait at most; 0 for not at all
     * @return whether something had come
     */
    private boolean turn(long nanos) {
        boolean busy = false;
        try {
            busy = runTasks();
            for (WireChannel channel : polled) {
                if (!isLedHere()) {
                    break;
                }
                busy |= look(channel);
            }
            flushPutOff();
            if (!isLedHere()) {
                return true;
            }
            long wait = busy ? 0 : nanos;
            if (wait > 0 || polled.length == 0 || System.nanoTime() - lastSelect > SELECTS_NANOS) {
                List<SelectionKey> some = ready.keys;
                select(wait);
                lastSelect = System.nanoTime();
                if (!some.isEmpty()) {
                    handleAll(some);
                    flushPutOff();
                    busy = true;
                }
            }
            return busy || !isLedHere();
        } catch (IOException | ClosedSelectorException e) {
            if (!closed) {
                report("selecting", e);
            }
        } catch (RuntimeException | Error e) {
            report("a turn over all connections", e);
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
                report("something to be done by the reactor", e);
            }
        }
        return some;
    }

    private boolean look(WireChannel channel) {
        try {
            return channel.look();
        } catch (RuntimeException | Error e) {
            channel.failed(e);
            return true;
        }
    }

    private void handleAll(List<SelectionKey> some) {
        try {
            for (int i = 0; i < some.size() && isLedHere(); i++) {
                handle(some.get(i)); // those that are left come again
            }
        } finally {
            some.clear();
        }
    }

    /** Checks all channels, by who leads. */
    private void check() {
        checkAsked = false;
        long now = System.nanoTime();
        long passed = Math.min(now - lastCheck, 2 * checkNanos); // more, and this process stood still
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
                    hasPutOff || !tasks.isEmpty() || closed || me == own && !serving && !followers.isEmpty();
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

    // Relief.

    private void watch() {
        long lastAsked = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(this, RELIEF_NANOS);
            try {
                relieve();
                keepOwn();
                long now = System.nanoTime();
                long interval = checkSoon ? Math.min(CHECKS_SOON_NANOS, checkNanos) : checkNanos;
                if (now - lastAsked >= interval && !checkAsked) {
                    lastAsked = now;
                    checkSoon = false;
                    checkAsked = true;
                    execute(checks);
                }
            } catch (RuntimeException | Error e) { // without this thread nobody would be relieved
                checkAsked = false;
                report("watching the thread that leads", e);
            }
        }
    }

    /** Takes the lead from a thread that has been kept for long, and gives it to the next. */
    private void relieve() {
        long kept = longHandOver.get();
        if (kept == 0 || System.nanoTime() - longSince <= RELIEF_NANOS) {
            return;
        }
        Ready fresh = new Ready();
        if (!longHandOver.compareAndSet(kept, 0)) {
            return;
        }
        // Now who leads finds, when it comes back, that it does not any more.
        Thread thread = leader.get();
        WireChannel channel = handedOverBy;
        handOver = 0;
        ready = fresh;
        try {
            if (channel != null) { // more of its frames may have been read, which no selector tells of
                tasks.add(channel.readsOn());
            }
        } finally {
            if (thread == own) {
                own = null;
            }
            leader.set(null);
        }
        LOG.debug("{} is kept by what it was handed to; relieved", thread == null ? "a thread" : thread.getName());
    }

    private void keepOwn() {
        Thread thread = own;
        if (!closed && (thread == null || !thread.isAlive())) {
            startOwn();
        }
    }

    /** Ends; nothing comes any more. */
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

    /** Whoever has to be told something still is. */
    private void end() {
        channels.forEach(WireChannel::close);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                report("something to be done at the reactor's end", e);
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector: {}", e.toString());
        }
    }
}
