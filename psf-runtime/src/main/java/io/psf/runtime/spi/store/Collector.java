package io.psf.runtime.spi.store;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the garbage collections of a store on a thread of its own, since no lane may wait for one. The thread starts
 * with a request, and ends when there are no more. Thread-safe.
 */
final class Collector implements AutoCloseable {
    private static final int IDLE_SECONDS = 5;

    private final Runnable work;
    private final ThreadPoolExecutor thread;

    /**
     * Creates a collector without a thread.
     *
     * @param work run after each request, once for several that arrive while it waits or runs
     */
    Collector(Runnable work) {
        this.work = work;
        this.thread = new ThreadPoolExecutor(
                0,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(1),
                Collector::thread,
                new ThreadPoolExecutor.DiscardPolicy()); // one request waits already, or the store is closed
    }

    private static Thread thread(Runnable run) {
        Thread thread = new Thread(run, "psf-store-collector");
        thread.setDaemon(true);
        return thread;
    }

    /** Requests the work. Does not wait for it. */
    void request() {
        thread.execute(work);
    }

    /** Runs a collection, and waits until what it has found is freed. Called on the thread alone. */
    static void collect(int freedMillis) {
        System.gc();
        try {
            Thread.sleep(freedMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the thread once it has done what was requested. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
