package io.psf.runtime.spi.transport;

import org.jspecify.annotations.Nullable;

/**
 * The rule for a lack of heap memory in psf's own work, outside of handlers: any statement may have been the last one
 * that ran, so a frame or an answer may be lost. It is passed to the thread's handler of uncaught exceptions, as if the
 * thread had died of it. A node's own process ends there, with its sentence. In a process of a user, the user's handler
 * decides, and the thread goes on.
 */
public final class FullHeap {
    private FullHeap() {}

    /**
     * Makes {@link #report} need no memory later, not even for the loading of this class. Must be called while the heap
     * has memory. No handler of a thread is called.
     */
    public static void prepare() {
        Thread.UncaughtExceptionHandler none = (thread, failure) -> {};
        report(new OutOfMemoryError(), Thread.currentThread(), none);
        report(new OutOfMemoryError("of no kind"), Thread.currentThread(), none);
    }

    /** Passes on a failure if it is a lack of heap memory. Allocates nothing. */
    public static void report(Throwable failure) {
        Thread here = Thread.currentThread();
        report(failure, here, here.getUncaughtExceptionHandler());
    }

    private static void report(Throwable failure, Thread here, Thread.UncaughtExceptionHandler handler) {
        if (!(failure instanceof OutOfMemoryError) || !isOfHeap(failure.getMessage())) {
            return;
        }
        try {
            handler.uncaughtException(here, failure);
        } catch (OutOfMemoryError e) {
            return; // the handler lacks memory, too
        }
    }

    /** False for direct memory and for threads: work that lacks one of them is tried again. */
    private static boolean isOfHeap(@Nullable String message) {
        return message == null || message.startsWith("Java heap space") || message.startsWith("GC overhead");
    }
}
