package io.psf.runtime.internal.server.node;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of a node that runs on threads of its own, such as a save that writes files. Thread-safe. */
final class WorkApart {
    private static final Logger LOG = LoggerFactory.getLogger(WorkApart.class);

    /** How long a node that ends waits for it: a write may be half done, and a disk may never answer. */
    private static final Duration MOST = Duration.ofSeconds(10);

    private final Executor threads =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                Thread made = new Thread(work);
                made.setDaemon(true);
                return made;
            });

    private final Set<CountDownLatch> running = ConcurrentHashMap.newKeySet();

    /** Returns a starter that runs work on a thread which no other work has, of a name. */
    Consumer<Runnable> on(String thread) {
        return work -> threads.execute(() -> {
            Thread.currentThread().setName(thread);
            work.run();
        });
    }

    /** Runs work by a starter of threads. */
    void run(Runnable work, Consumer<Runnable> starter) {
        CountDownLatch ended = new CountDownLatch(1);
        running.add(ended);
        boolean started = false;
        try {
            starter.accept(() -> {
                try {
                    work.run();
                } finally {
                    running.remove(ended);
                    ended.countDown();
                }
            });
            started = true;
        } finally {
            if (!started) {
                running.remove(ended);
            }
        }
    }

    /** Waits until no work runs. Called when no more begins. */
    void awaitEnd() {
        long until = System.nanoTime() + MOST.toNanos();
        try {
            for (CountDownLatch each : running) {
                if (!each.await(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    LOG.warn("the node ends while files are still written, after {} s", MOST.toSeconds());
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
