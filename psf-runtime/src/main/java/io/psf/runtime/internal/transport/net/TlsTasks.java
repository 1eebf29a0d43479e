package io.psf.runtime.internal.transport.net;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs the signatures and key agreements of accepted connections, milliseconds each, on one thread, so that the leader
 * does not. The thread ends while there are none.
 */
final class TlsTasks implements AutoCloseable {
    /** The most connections that wait for the thread. */
    private static final int MOST = 4096;

    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor thread;

    TlsTasks() {
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST), work -> {
                    Thread made = new Thread(work, "psf-tls");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Runs work later. False if too much waits, or the transport is closed. */
    boolean run(Runnable work) {
        try {
            thread.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Drops what waits. Does not block. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
