package io.psf.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Terminates a node whose heap is full, at once and with one message. Such a node can neither serve nor shut down,
 * since every operation throws {@link OutOfMemoryError}. A single allocation that is too large does not terminate the
 * node; only the call that made it fails.
 *
 * <p>The heap is full if several collections of the whole heap free almost nothing, or if one of the node's own threads
 * dies of {@link OutOfMemoryError}.
 */
@SuppressWarnings("ThreadPriorityCheck") // nothing relies on a yield
final class HeapWatch implements Thread.UncaughtExceptionHandler {
    /** The exit code of a node that is terminated for a full heap. */
    static final int EXIT = 3;

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The number of consecutive intervals with a full heap, each with a collection of the whole heap. */
    private static final int PATIENCE = 4;

    /** The percentage of the heap in use after a collection at which the heap counts as full. */
    private static final int FULL = 95;

    /** Bytes that are released at the end, so that the termination has memory. */
    private static final int RESERVE = 256 << 10;

    private static final String OURS = "psf-";

    private final long heap = Runtime.getRuntime().maxMemory();
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(HeapWatch::collectsAll)
            .toList();
    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    // Allocated at the start, since there is no memory for them later.
    private final byte[] lastWords;
    private volatile byte @Nullable [] reserve = new byte[RESERVE];
    /** How many threads have found that the heap is full: the first one says so. */
    private final AtomicInteger ends = new AtomicInteger();

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.err);

    private HeapWatch(String node) {
        this.lastWords = ("psf: " + node + " ends: its heap of " + (heap >> 20)
                        + " MB is full (expected: less data, or a larger heap by -Xmx in PSF_JAVA_OPTS)"
                        + System.lineSeparator())
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Starts watching the heap of this JVM, on a daemon thread.
     *
     * @param node the node's name, for the message
     */
    static void start(String node) {
        HeapWatch watch = new HeapWatch(node);
        Thread hook = new Thread(() -> {});
        Runtime.getRuntime().addShutdownHook(hook); // initializes the classes for the shutdown now
        Runtime.getRuntime().removeShutdownHook(hook);
        isFatal(Thread.currentThread(), new OutOfMemoryError());
        watch.say(0);
        Thread.setDefaultUncaughtExceptionHandler(watch);
        Thread thread = new Thread(watch::watch, OURS + "heap");
        thread.setDaemon(true);
        thread.start();
    }

    /** True if the collector collects the whole heap, judged by the names of HotSpot's collectors. */
    private static boolean collectsAll(GarbageCollectorMXBean collector) {
        String name = collector.getName();
        return name.contains("Old") || name.contains("MarkSweep");
    }

    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
        if (isFatal(thread, thrown)) {
            end();
        }
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
    }

    private static boolean isFatal(Thread thread, Throwable thrown) {
        return thrown instanceof OutOfMemoryError && thread.getName().startsWith(OURS);
    }

    private void watch() {
        long before = collections();
        int full = 0;
        while (full < PATIENCE) {
            try {
                LockSupport.parkNanos(this, INTERVAL_NANOS);
                if (isFull() && collections() == before) {
                    System.gc(); // objects that the last collection found may be garbage by now
                }
                full = isFull() ? full + 1 : 0;
                before = collections();
            } catch (OutOfMemoryError e) {
                full++;
            }
        }
        end();
    }

    /**
     * Terminates the JVM. Allocates nothing, not even by class linking: {@link #start} has called every method that
     * this calls.
     */
    private void end() {
        if (reserve != null && ends.getAndIncrement() == 0) {
            reserve = null;
            say(lastWords.length);
        }
        while (true) {
            try {
                Runtime.getRuntime().halt(EXIT);
            } catch (OutOfMemoryError e) {
                Thread.yield(); // the memory that halt needs may be free now
            }
        }
    }

    private void say(int bytes) {
        try {
            out.write(lastWords, 0, bytes);
        } catch (IOException | OutOfMemoryError e) {
            Thread.yield(); // stderr is not writable; the exit code remains
        }
    }

    private long collections() {
        long collections = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            collections += collector.getCollectionCount();
        }
        return collections;
    }

    private boolean isFull() {
        long used = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage after = pool.getCollectionUsage();
            used += after == null ? 0 : after.getUsed();
        }
        return used * 100 >= heap * FULL;
    }
}
