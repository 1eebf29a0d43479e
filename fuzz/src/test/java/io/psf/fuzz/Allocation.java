package io.psf.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How many bytes of the heap a piece of work takes, on its own thread. */
public final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * What a frame of a few bytes may take: readers, views, exceptions with their messages and traces. Code that is not
     * compiled yet took up to 68 KB, under the deep stack of a fuzz test.
     */
    private static final long CONSTANT = 128 << 10;

    /**
     * What a byte of a frame may become: of the fixtures' records the worst is an item of two bytes that say null, which
     * is an object of 16 to 24 bytes and a reference in each of two lists.
     */
    private static final long A_BYTE = 24;

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
