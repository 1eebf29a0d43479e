package io.psf.cli;

import io.psf.api.PsException;
import io.psf.builtin.Reports;
import io.psf.runtime.Guest;
import io.psf.runtime.Settings;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Watches a job from its beginning to its end, for a {@link JobReport}: visits the cluster once a second, as a guest
 * for which nothing waits. What the nodes do after the last visit is not seen. Thread-safe.
 */
public final class JobWatch implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final WorkerConfig config;
    private final long begin = System.nanoTime();
    private final Thread thread = new Thread(this::run, "psf-watch");
    private final List<Seen> seen = new ArrayList<>();
    private List<Reports.Series> series = List.of();

    /**
     * What one visit found.
     *
     * @param seconds the time since the watch began
     * @param sums what the nodes had counted since they were first asked
     */
    record Seen(double seconds, JobSample sums) {}

    JobWatch(WorkerConfig config) {
        this.config = config;
    }

    /** Begins to watch a cluster of this machine, which may still form. */
    static JobWatch of(String scheduler, Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(settings);
        all.put("PSF_ROLE", "worker");
        all.put("PSF_SCHEDULER", scheduler);
        JobWatch watch = new JobWatch(Settings.of(System.getenv())
                .with(all)
                .worker()
                .withRank(-1)
                .withJoinTimeout(PATIENCE)
                .withDeadline(PATIENCE));
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    private void run() {
        try {
            while (true) {
                try {
                    visit();
                } catch (PsException e) {
                    // The cluster forms, has lost a server, or has ended.
                }
                Thread.sleep(INTERVAL.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Visits the cluster once. */
    void visit() {
        try (Guest guest = Guest.asking(config)) {
            JobSample sums = JobSample.of(guest);
            List<Reports.Series> reported = Reports.of(guest);
            synchronized (this) {
                seen.add(new Seen((System.nanoTime() - begin) / 1e9, sums));
                series = reported;
            }
        }
    }

    /** Returns what the visits found, in order. */
    synchronized List<Seen> seen() {
        return List.copyOf(seen);
    }

    /** Returns what the workers had reported with {@link Reports#scalar} by the last visit. */
    synchronized List<Reports.Series> series() {
        return series;
    }

    /** Ends the watch. What was seen stays. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
