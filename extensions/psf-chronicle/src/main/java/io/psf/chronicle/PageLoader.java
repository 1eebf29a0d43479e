package io.psf.chronicle;

import io.psf.runtime.spi.store.MemoryAccount;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a store that access pages which are on the disk alone. A disk serves many accesses at once, and a lane
 * makes one after the other. The threads start with the first such access, and end when there are no more. Thread-safe.
 */
final class PageLoader implements AutoCloseable {
    /** With more, the disk that was measured did not read more; each waits for one page at a time. */
    static final int THREADS = 16;

    private static final int IDLE_SECONDS = 5;

    private final MemoryAccount account;
    /** The bytes of mapped files that are assumed to stay in memory. */
    private final long kept;

    private final ThreadPoolExecutor threads;

    /**
     * Creates a loader without threads.
     *
     * @param account the bytes of mapped files
     * @param memory the bytes of memory of the machine or container
     */
    PageLoader(MemoryAccount account, long memory) {
        this.account = account;
        this.kept = memory / 2;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), PageLoader::thread);
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable run) {
        Thread thread = new Thread(run, "psf-page-loader");
        thread.setDaemon(true);
        return thread;
    }

    /** True if the files take more than half of the memory: some of their pages may be on the disk alone. */
    boolean isCrowded() {
        return account.allocated() > kept;
    }

    /** Runs work on several threads, as soon as they are free. */
    void run(Runnable work, int times) {
        try {
            for (int i = 0; i < Math.min(times, THREADS); i++) {
                threads.execute(work);
            }
        } catch (RejectedExecutionException e) {
            return; // the store is closed: the caller does the work alone
        }
    }

    /** Ends the threads once they have done what they were given. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
