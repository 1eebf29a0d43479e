package io.psf.runtime.spi.transport;

import org.jspecify.annotations.Nullable;

/**
 * The rule for a lack of heap memory in psf's own work, outside of handlers: any statement may have been the last one
 * that ran, so a frame or an answer may be lost. It is passed to the thread's handler of uncaught exceptions, as if the
 * thread had died of it. A node's own process ends there, with its sentence. In a process of a user, the user's handler
 * decides, and the thread goes on.
 */
public final class FullHeap {
    /** Reported for a class whose initialization lacked memory: its error has no cause of its own. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // there is no memory for one later
    private static final OutOfMemoryError UNINITIALIZED = new OutOfMemoryError("Java heap space");

    private FullHeap() {}

    /**
     * Makes {@link #report} need no memory later, not even for the loading of this class. Must be called while the heap
     * has memory. No handler of a thread is called.
     */
    public static void prepare() {
        Thread.UncaughtExceptionHandler none = (thread, failure) -> {};
        report(new InternalError(new OutOfMemoryError()), Thread.currentThread(), none);
        report(new OutOfMemoryError("of no kind"), Thread.currentThread(), none);
        report(new NoClassDefFoundError("of no class"), Thread.currentThread(), none);
    }

    /** Passes on a failure if it is a lack of heap memory, or an error caused by one. Allocates nothing. */
    public static void report(Throwable failure) {
        Thread here = Thread.currentThread();
        report(failure, here, here.getUncaughtExceptionHandler());
    }

    private static void report(Throwable failure, Thread here, Thread.UncaughtExceptionHandler handler) {
        OutOfMemoryError lack = lack(failure);
        if (lack == null || !isOfHeap(lack.getMessage())) {
            return;
        }
        try {
            handler.uncaughtException(here, lack);
        } catch (OutOfMemoryError e) {
            return; // the handler lacks memory, too
        }
    }

    /**
     * Returns the lack of memory of any kind that an error is or was caused by; null for none. A statement that runs
     * for the first time may link a call site or initialize a class, and throws such a lack within another error.
     * Allocates nothing.
     */
    public static @Nullable OutOfMemoryError lack(Throwable failure) {
        Throwable error = failure;
        while (error instanceof Error) {
            if (error instanceof OutOfMemoryError lack) {
                return lack;
            }
            if (error instanceof ExceptionInInitializerError && isOfFullHeap(error.getMessage())) {
                return UNINITIALIZED;
            }
            error = error.getCause();
        }
        return null;
    }

    /** True for the JVM's record of why a class could not be initialized. */
    private static boolean isOfFullHeap(@Nullable String message) {
        return message != null && message.startsWith("Exception java.lang.OutOfMemoryError: Java heap space");
    }

    /** False for direct memory and for threads: work that lacks one of them is tried again. */
    private static boolean isOfHeap(@Nullable String message) {
        return message == null || message.startsWith("Java heap space") || message.startsWith("GC overhead");
    }
}
