package io.psf.runtime.internal.call;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs stages of callers' futures, which may block. Has threads only while there are stages to run. Thread-safe. */
final class Callbacks implements Executor {
    /** If all threads are blocked, the stages of other failed calls wait. */
    private static final int THREADS = 16;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Callbacks::thread);

    Callbacks() {
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "psf-callback");
        thread.setDaemon(true);
        return thread;
    }

    /** Queues stages. Does not block. */
    @Override
    public void execute(Runnable stages) {
        threads.execute(stages);
    }
}
