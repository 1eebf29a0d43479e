package io.psf.runtime.spi.transport;

import io.psf.api.Names;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the signatures and key agreements of TLS handshakes, milliseconds each, on one thread, which ends while there
 * are none. Handshakes of strangers that do not complete get a tenth of a processor, after {@value #FREE_MILLIS} ms of
 * it; the time of completed handshakes is not counted. Handshakes that wait are begun in turns of their addresses, and
 * for each address the newest first. Thread-safe.
 */
public final class HandshakeTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeTasks.class);

    /** The most handshakes that wait to be begun. */
    static final int MOST = 4096;

    private static final int FREE_MILLIS = 250;
    private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(FREE_MILLIS);

    /** One over the part of a processor's time. */
    private static final int PART = 10;

    /** The most time that counts beyond the free time. A slow task delays the next one by ten times this at most. */
    private static final long MOST_OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long SHORTEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SLOWED_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The bytes of an IPv4 address. */
    private static final int IPV4 = 4;

    private static final int IDLE_SECONDS = 1;

    /** Gets one {@link #next} for each task that is not dropped. */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                Thread made = new Thread(work, "psf-tls");
                made.setDaemon(true);
                return made;
            });

    private final long mostOverNanos;
    private final LongSupplier clock;
    /** The processor time of the current thread. */
    private final LongSupplier processor;

    // Guarded by this object.
    /** The tasks of handshakes that have begun, and of connections that this side makes. */
    private final Deque<Runnable> begun = new ArrayDeque<>();
    /** The first tasks of strangers, by address: the address whose turn is next is the first. */
    private final Map<InetAddress, Deque<Runnable>> beginnings = new LinkedHashMap<>();

    private int waiting;
    /** The time that handshakes have cost which are not complete, less the part that is free. */
    private long spentNanos;

    private long spentAt;
    /** When the limit was last logged. */
    private long slowedAt;

    /** Creates the tasks of a transport. */
    public HandshakeTasks() {
        this(MOST_OVER_NANOS);
    }

    HandshakeTasks(long mostOverNanos) {
        this(mostOverNanos, System::nanoTime, HandshakeTasks::processorNanos);
    }

    HandshakeTasks(long mostOverNanos, LongSupplier clock, LongSupplier processor) {
        this.mostOverNanos = mostOverNanos;
        this.clock = clock;
        this.processor = processor;
        this.spentAt = clock.getAsLong();
        this.slowedAt = spentAt - SLOWED_NANOS;
        thread.allowCoreThreadTimeOut(true);
    }

    /** Returns an executor for connections that this side makes. Its tasks come before the tasks of strangers. */
    public Executor own() {
        return task -> {
            synchronized (this) {
                begun.add(task);
                notifyAll();
            }
            execute();
        };
    }

    /** Returns an executor for the handshake of a connection that a peer at that address has made. */
    public Stranger stranger(InetAddress address) {
        return new Stranger(network(address));
    }

    /**
     * Returns an IPv4 address itself, and the /64 network of an IPv6 address: a host may use any address of its
     * network.
     */
    private static InetAddress network(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == IPV4) {
            return address;
        }
        Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // an address has this length
        }
    }

    /**
     * The tasks of one handshake, one at a time. A first task may be dropped while many wait; the limit of a hello ends
     * such a connection.
     */
    public final class Stranger implements Executor {
        private final InetAddress address;
        private boolean hasBegun;
        private boolean isComplete;
        private long nanos;

        private Stranger(InetAddress address) {
            this.address = address;
        }

        /**
         * Runs a task later.
         *
         * @throws RejectedExecutionException if the transport is closed
         */
        @Override
        public void execute(Runnable task) {
            Runnable timed = () -> {
                long start = processor.getAsLong();
                try {
                    task.run();
                } finally {
                    spent(processor.getAsLong() - start);
                }
            };
            synchronized (HandshakeTasks.this) {
                if (hasBegun) {
                    begun.add(timed);
                    HandshakeTasks.this.notifyAll();
                } else {
                    hasBegun = true;
                    if (begin(address, timed)) {
                        return;
                    }
                }
            }
            HandshakeTasks.this.execute();
        }

        private void spent(long taken) {
            synchronized (HandshakeTasks.this) {
                if (isComplete) { // by this task
                    return;
                }
                nanos += taken;
                forget(clock.getAsLong());
                spentNanos = Math.min(spentNanos + taken, FREE_NANOS + mostOverNanos);
            }
        }

        /** Records that the handshake is complete: the peer has proved its certificate. */
        public void completed() {
            synchronized (HandshakeTasks.this) {
                isComplete = true;
                spentNanos = Math.max(0, spentNanos - nanos);
                HandshakeTasks.this.notifyAll();
            }
        }
    }

    /** Returns the processor time of this thread; the time of the clock where it is not known. */
    private static long processorNanos() {
        long nanos = THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : -1;
        return nanos < 0 ? System.nanoTime() : nanos;
    }

    private void execute() {
        thread.execute(this::next);
    }

    /** Queues a first task. True if another one was dropped for it. */
    private boolean begin(InetAddress address, Runnable task) {
        boolean full = waiting >= MOST;
        if (full) {
            dropOldest(address);
        }
        beginnings.computeIfAbsent(address, any -> new ArrayDeque<>()).addLast(task);
        waiting++;
        return full;
    }

    private void dropOldest(InetAddress address) {
        InetAddress from = beginnings.containsKey(address)
                ? address
                : beginnings.keySet().iterator().next();
        take(from, false);
    }

    private Runnable take(InetAddress from, boolean newest) {
        Deque<Runnable> tasks = Objects.requireNonNull(beginnings.get(from));
        Runnable task = newest ? tasks.removeLast() : tasks.removeFirst();
        if (tasks.isEmpty()) {
            beginnings.remove(from);
        }
        waiting--;
        return task;
    }

    /** Runs the task whose turn it is, once it may run. */
    private void next() {
        try {
            Runnable task = await();
            if (task != null) {
                task.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        } catch (RuntimeException | Error e) {
            LOG.warn("a task of a handshake", Names.printable(e));
        }
    }

    /** Returns the next task; null if there is none. */
    private synchronized @Nullable Runnable await() throws InterruptedException {
        while (true) {
            Runnable next = begun.poll();
            if (next != null) {
                return next;
            }
            if (beginnings.isEmpty()) {
                return null;
            }
            long now = clock.getAsLong();
            forget(now);
            if (spentNanos <= FREE_NANOS) {
                return takeNext();
            }
            if (now - slowedAt > SLOWED_NANOS) {
                slowedAt = now;
                LOG.warn(
                        "TLS handshakes that are not complete took {} ms (expected: less than {}); {} wait, and get a"
                                + " tenth of a processor; not logged again for a minute",
                        TimeUnit.NANOSECONDS.toMillis(spentNanos),
                        FREE_MILLIS,
                        waiting);
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(SHORTEST_WAIT_NANOS, (spentNanos - FREE_NANOS) * PART));
        }
    }

    /** Subtracts the part that has become free. */
    private void forget(long now) {
        spentNanos = Math.max(0, spentNanos - (now - spentAt) / PART);
        spentAt = now;
    }

    /** Takes the newest task of the address whose turn it is. */
    private Runnable takeNext() {
        Map.Entry<InetAddress, Deque<Runnable>> first =
                beginnings.entrySet().iterator().next();
        InetAddress turn = first.getKey();
        Deque<Runnable> tasks = first.getValue();
        Runnable task = take(turn, true);
        if (beginnings.remove(turn, tasks)) {
            beginnings.put(turn, tasks); // the last one now
        }
        return task;
    }

    /** Drops what waits. Does not block. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
