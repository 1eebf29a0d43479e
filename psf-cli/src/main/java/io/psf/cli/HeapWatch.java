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
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends a node whose heap is full, at once and with one sentence: it neither serves nor ends by itself, since whatever it
 * does throws {@link OutOfMemoryError}. A single allocation that is too large is the business of the call that made it.
 *
 * <p>The heap is full when several collections of all of it find next to nothing, or when a thread of the node's own dies
 * for want of memory.
 */
@SuppressWarnings("ThreadPriorityCheck") // nothing relies on a yield
final class HeapWatch implements Thread.UncaughtExceptionHandler {
    /** The exit code of a node that ends so. */
    static final int EXIT = 3;

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** So many intervals one after another, each with a collection of the whole heap. */
    private static final int PATIENCE = 4;

    /** In use after a collection, of a hundred parts. */
    private static final int FULL = 95;

    /** Given up so that the end has memory. */
    private static final int RESERVE = 256 << 10;

    private static final String OURS = "psf-";

    private final long heap = Runtime.getRuntime().maxMemory();
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(HeapWatch::collectsAll)
            .toList();
    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    // Made before there is no memory for them.
    private final byte[] lastWords;
    private volatile byte @Nullable [] reserve = new byte[RESERVE];
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.err);

    private HeapWatch(String node) {
        this.lastWords = ("psf: " + node + " ends: its heap of " + (heap >> 20)
                        + " MB is full (expected: less in it, or a larger one by -Xmx in PSF_JAVA_OPTS)"
                        + System.lineSeparator())
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Watches the heap of this JVM from now on.
     *
     * @param node what ends, for the sentence
     */
    static void start(String node) {
        HeapWatch watch = new HeapWatch(node);
        Thread hook = new Thread(() -> {});
        Runtime.getRuntime().addShutdownHook(hook); // what ends a JVM is initialized now
        Runtime.getRuntime().removeShutdownHook(hook);
        isFatal(Thread.currentThread(), new OutOfMemoryError());
        watch.say(0);
        Thread.setDefaultUncaughtExceptionHandler(watch);
        Thread thread = new Thread(watch::watch, OURS + "heap");
        thread.setDaemon(true);
        thread.start();
    }

    /** By the names that the collectors of HotSpot have. */
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
                    System.gc(); // what the last collection found may be free by now
                }
                full = isFull() ? full + 1 : 0;
                before = collections();
            } catch (OutOfMemoryError e) {
                full++;
            }
        }
        end();
    }

    /** Makes no object, not even by being linked: {@link #start} has called all that it calls. */
    private void end() {
        if (reserve != null) {
            reserve = null;
            say(lastWords.length);
        }
        while (true) {
            try {
                Runtime.getRuntime().halt(EXIT);
            } catch (OutOfMemoryError e) {
                Thread.yield(); // what it needs may be there now
            }
        }
    }

    private void say(int bytes) {
        try {
            out.write(lastWords, 0, bytes);
        } catch (IOException | OutOfMemoryError e) {
            Thread.yield(); // nobody hears it; the exit code tells
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
