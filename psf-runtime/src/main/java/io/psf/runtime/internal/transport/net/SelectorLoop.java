package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Polls the channels: one {@link #turn} after another, on the leader. Other threads queue work and wake the leader. */
final class SelectorLoop {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorLoop.class);

    /** A thread that polls shared memory also calls the selector, a system call, at most once in this time. */
    private static final long SELECT_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    private final LeaderThread leader;
    private final FailureLog failures;
    private final BooleanSupplier isLeadWanted;
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** The channels that the leader polls, since a selector does not report all their bytes. Copy on write. */
    private volatile PolledChannel[] polled = {};
    /** Channels with deferred writes. The list is its own lock. */
    private final ArrayList<PolledChannel> deferred = new ArrayList<>();

    /** The channels that have bytes which the selector does not report. */
    private final Queue<PolledChannel> unread = new ConcurrentLinkedQueue<>();

    private volatile boolean hasDeferred;
    private volatile boolean selecting;
    private volatile boolean stopped;

    // Accessed by the leader.
    private Ready ready = new Ready();
    private long lastSelect = System.nanoTime();

    /**
     * Collects the keys that are ready. The object is reused, since a spinning thread selects a million times a second.
     */
    static final class Ready implements Consumer<SelectionKey> {
        final List<SelectionKey> keys = new ArrayList<>();

        @Override
        public void accept(SelectionKey key) {
            keys.add(key);
        }
    }

    /**
     * Creates a loop.
     *
     * @param isLeadWanted true if the leader must not block, since another thread is to lead
     */
    SelectorLoop(LeaderThread leader, FailureLog failures, BooleanSupplier isLeadWanted) {
        this.leader = leader;
        this.failures = failures;
        this.isLeadWanted = isLeadWanted;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    // Methods for any thread.

    /** Adds a channel whose bytes the leader polls for, besides the selector. */
    synchronized void addPolled(PolledChannel channel) {
        PolledChannel[] more = Arrays.copyOf(polled, polled.length + 1);
        more[polled.length] = channel;
        polled = more;
    }

    synchronized void removePolled(PolledChannel channel) {
        polled = Arrays.stream(polled).filter(other -> other != channel).toArray(PolledChannel[]::new);
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

    /**
     * Blocks until closed sockets are removed from the selector, which frees their ports; for a second at most. Does
     * nothing on the leader.
     */
    void releaseClosed() {
        if (leader.isCurrent() || stopped) {
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

    /** Queues a task for the leader and wakes it. Does not block. */
    void execute(Runnable task) {
        queue(task);
        wakeUp();
    }

    /** Queues a task for the next turn, without a wake-up. */
    void queue(Runnable task) {
        tasks.add(task);
    }

    /** Wakes the leader if it is blocked in the selector. */
    void wakeUp() {
        if (selecting && !leader.isCurrent()) {
            selector.wakeup();
        }
    }

    /** Defers the flush of a channel to the leader, before it blocks, or to the next thread that awaits something. */
    void defer(PolledChannel channel) {
        synchronized (deferred) {
            deferred.add(channel);
            hasDeferred = true;
        }
        wakeUp();
    }

    void flushDeferred() {
        while (hasDeferred) {
            PolledChannel channel;
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

    /** Stops the loop: the leader no longer blocks, and gives up the lead. */
    void stop() {
        stopped = true;
        selector.wakeup();
    }

    boolean isStopped() {
        return stopped;
    }

    // Methods for the leader.

    /** Has the next turn continue reading from a channel, once the other channels have had theirs. */
    void readAgain(PolledChannel channel) {
        unread.add(channel);
    }

    /** Continues reading from the channels that are there now, not from channels that are added meanwhile. */
    private boolean readUnread() {
        if (unread.isEmpty()) {
            return false;
        }
        for (int n = unread.size(); n > 0 && leader.isCurrent(); n--) {
            PolledChannel channel = unread.poll();
            if (channel != null) {
                channel.resumeReading().run();
            }
        }
        return true;
    }

    /**
     * Polls the channels once, and blocks if nothing has arrived. A failure of one channel closes or suspends that
     * channel and no other. A thread that loses the lead leaves the rest to the new leader.
     *
     * @param nanos how long to block at most; 0 for not at all
     * @return true if something had arrived
     */
    boolean turn(long nanos) {
        boolean busy = false;
        try {
            busy = runTasks();
            for (PolledChannel channel : polled) {
                if (!leader.isCurrent()) {
                    break;
                }
                busy |= poll(channel);
            }
            busy |= readUnread();
            flushDeferred();
            if (!leader.isCurrent()) {
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
            return busy || !leader.isCurrent();
        } catch (IOException | ClosedSelectorException e) {
            if (!stopped) {
                failures.report("selecting", e);
            }
        } catch (RuntimeException | Error e) {
            failures.report("polling the connections", e);
        }
        return busy;
    }

    private boolean runTasks() {
        boolean some = false;
        while (leader.isCurrent()) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            some = true;
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failures.report("a task of the reactor", e);
            }
        }
        return some;
    }

    private static boolean poll(PolledChannel channel) {
        try {
            return channel.poll();
        } catch (RuntimeException | Error e) {
            channel.failed(e);
            return true;
        }
    }

    private void select(long nanos) throws IOException {
        if (nanos == 0) {
            selector.selectNow(ready);
            return;
        }
        selecting = true;
        try {
            boolean somethingToDo = hasDeferred || !tasks.isEmpty() || !unread.isEmpty() || stopped;
            somethingToDo |= isLeadWanted.getAsBoolean();
            for (PolledChannel channel : polled) {
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

    private static boolean prepareToSleep(PolledChannel channel) {
        try {
            return channel.prepareToSleep();
        } catch (RuntimeException | Error e) {
            channel.failed(e);
            return false;
        }
    }

    private void handleAll(List<SelectionKey> some) {
        try {
            for (int i = 0; i < some.size() && leader.isCurrent(); i++) {
                handle(some.get(i)); // the remaining keys are selected again
            }
        } finally {
            some.clear();
        }
    }

    private static void handle(SelectionKey key) {
        if (key.attachment() instanceof PolledChannel channel) {
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

    /** Replaces the ready keys: the relieved leader may still use the old ones. */
    void replace(Ready fresh) {
        ready = fresh;
    }

    /** Runs the remaining tasks and closes the selector. */
    void end() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failures.report("a task at the reactor's end", e);
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector: {}", e.toString());
        }
    }
}
