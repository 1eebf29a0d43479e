package io.psf.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * How many bytes of the heap a piece of work takes. The work runs on a thread of its own, whose stack is short: the
 * traces of exceptions at the depth of a fuzz test, some hundred frames, took up to nine tenths of the bound.
 */
public final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What a frame of a few bytes may take: readers, views, exceptions with their messages and traces. */
    private static final long CONSTANT = 64 << 10;

    /**
     * What a byte of a frame may become: of the fixtures' records the worst is an item of two bytes that say null,
     * which is an object of 16 to 24 bytes and a reference in each of two lists.
     */
    private static final long A_BYTE = 24;

    private static final ExecutorService SHALLOW = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "shallow");
        thread.setDaemon(true);
        return thread;
    });

    private Allocation() {}

    /** Work that may be done again. */
    @FunctionalInterface
    public interface Work {
        /** Does it, from the start. */
        void run();
    }

    /**
     * Runs what a frame brings about, and checks what it takes.
     *
     * @param length bytes of the frame
     * @param more bytes that are not the frame's fault
     */
    public static void bounded(long length, long more, Work work) {
        try {
            SHALLOW.submit(() -> measure(length, more, work)).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException defect) {
                throw defect;
            } else if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void measure(long length, long more, Work work) {
        long most = CONSTANT + more + A_BYTE * length;
        long took = Long.MAX_VALUE;
        // Once more if it was too much: classes are loaded, and instrumented, on the thread that uses them first.
        for (int i = 0; i < 3 && took > most; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            work.run();
            took = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        if (took > most) {
            throw new AssertionError(
                    "bytes taken by a frame of " + length + ": " + took + " (expected: at most " + most + ")");
        }
    }
}
