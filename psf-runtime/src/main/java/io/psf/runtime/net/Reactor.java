package io.psf.runtime.net;

import io.psf.runtime.call.Frame;
import io.psf.runtime.call.Receiver;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
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

    /** Parked threads look around now and then, whatever they have been told. */
    private static final long PARKED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String name;
    /** Of who leads. */
    private final Patience patience;

    private final long partialLimitNanos;
    private final Selector selector;
    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final Deque<Thread> followers = new ConcurrentLinkedDeque<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<WireChannel> channels = ConcurrentHashMap.newKeySet();
    private final List<WireChannel> polled = new CopyOnWriteArrayList<>();
    /** Channels with something to write that was put off. */
    private final ArrayList<WireChannel> putOff = new ArrayList<>();

    private volatile boolean hasPutOff;
    private volatile boolean selecting;
    /** Whether frames come that nobody waits for: then the reactor's own thread leads. */
    private volatile boolean serving;

    private volatile boolean closed;
    private volatile long lastWait = System.nanoTime() - GIVES_WAY_NANOS;
    /** When who leads handed over a frame, while that lasts; else 0. Whoever sets it to 0 has the lead, or takes it. */
    private final AtomicLong keptSince = new AtomicLong();

    /** The reactor's own thread; the last one when it is closed. */
    private volatile @Nullable Thread own;

    private final Thread watch;

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
     * @param partialLimitNanos how long a peer may pause in the middle of a frame
     */
    Reactor(String name, long spinNanos, long partialLimitNanos) {
        this.name = name;
        this.patience = new Patience(spinNanos);
        this.partialLimitNanos = partialLimitNanos;
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
    void poll(WireChannel channel) {
        polled.add(channel);
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
        polled.remove(channel);
        wakeUp();
    }

    /** From now on frames come that nobody waits for. */
    void serve() {
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
     * Hands over a frame, by who leads; if that takes long, another one takes the lead, and this one has to leave
     * everything as it is.
     */
    void handOver(Receiver receiver, WireChannel channel, Frame frame) {
        long now = System.nanoTime();
        long token = now == 0 ? 1 : now;
        keptSince.set(token);
        try {
            receiver.received(channel, frame);
        } finally {
            if (!keptSince.compareAndSet(token, 0)) {
                while (isLedHere()) { // the lead is being taken just now
                    Thread.onSpinWait();
                }
            }
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
            boolean stays = serving || System.nanoTime() - lastWait > GIVES_WAY_NANOS;
            if (!stays) {
                LockSupport.parkNanos(this, LOOKS_NANOS);
            }
            if (!leader.compareAndSet(null, me)) {
                LockSupport.parkNanos(this, pause);
                pause = Math.min(2 * pause, LOOKS_SELDOM_NANOS); // who leads may wait for long
                continue;
            }
            pause = LOOKS_NANOS;
            try {
                long idleSince = System.nanoTime();
                while (isLedHere() && !closed && (serving || followers.isEmpty())) {
                    Thread.interrupted(); // by what it was handed to
                    boolean wait = stays && !patience.lasts(System.nanoTime() - idleSince);
                    if (turn(wait ? partialLimitNanos / 2 : 0)) {
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
        }
        if (closed) {
            end();
        }
    }

    /**
     * Brings in what has come, or waits for it.
     *
     * @param nanos how long to wait at most; 0 for not at all
     * @return whether something had come
     */
    private boolean turn(long nanos) {
        List<SelectionKey> some = ready.keys;
        boolean busy = false;
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
                busy = true;
            }
            for (int i = 0; i < polled.size() && isLedHere(); i++) {
                busy |= polled.get(i).look();
            }
            flushPutOff();
            if (!isLedHere()) {
                return true;
            }
            long wait = busy ? 0 : nanos;
            if (wait > 0 || polled.isEmpty() || System.nanoTime() - lastSelect > SELECTS_NANOS) {
                select(wait);
                lastSelect = System.nanoTime();
            }
            if (!some.isEmpty()) {
                for (int i = 0; i < some.size() && isLedHere(); i++) {
                    handle(some.get(i));
                }
                some.clear();
                flushPutOff();
                busy = true;
            }
            if (!isLedHere()) {
                return true;
            }
            long now = System.nanoTime();
            if (now - lastCheck > partialLimitNanos / 2) {
                lastCheck = now;
                channels.forEach(channel -> channel.checkPartial(now, partialLimitNanos));
            }
        } catch (IOException | ClosedSelectorException e) {
            if (!closed) {
                LOG.error("selecting failed", e);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("what came over a connection could not be handed over", e);
        }
        return busy;
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
                somethingToDo |= !channel.prepareToSleep();
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

    private static void handle(SelectionKey key) {
        try {
            if (key.attachment() instanceof WireChannel channel) {
                channel.selected(key.isReadable(), key.isWritable());
            } else if (key.attachment() instanceof Runnable accept) {
                accept.run();
            }
        } catch (CancelledKeyException e) {
            LOG.trace("closed meanwhile", e);
        }
    }

    // Relief.

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(this, RELIEF_NANOS);
            long since = keptSince.get();
            if (since != 0 && System.nanoTime() - since > RELIEF_NANOS && keptSince.compareAndSet(since, 0)) {
                // Now who leads finds, when it comes back, that it does not any more.
                Thread kept = leader.get();
                LOG.debug("{} is kept by what it was handed to; relieved", kept == null ? "a thread" : kept.getName());
                ready = new Ready();
                if (kept == own) {
                    own = null;
                    leader.set(null);
                    startOwn();
                } else {
                    leader.set(null);
                }
            }
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
            task.run();
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector: {}", e.toString());
        }
    }
}
