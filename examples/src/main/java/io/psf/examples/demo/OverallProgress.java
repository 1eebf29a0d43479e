package io.psf.examples.demo;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The progress of all workers together. All of them begin with the same epoch, the first or the one after a checkpoint:
 * the epochs before the first that was reported count as done by every worker, also by workers that have not reported
 * yet. Not thread-safe.
 */
final class OverallProgress {
    private final int workers;
    private final int epochs;
    private final Map<Integer, Progress> latest = new TreeMap<>();
    /** The number of steps that each worker had done before this training. */
    private int before;

    OverallProgress(int workers, int epochs) {
        this.workers = workers;
        this.epochs = epochs;
    }

    void add(Progress progress) {
        if (latest.isEmpty()) {
            before = (progress.epoch() - 1) * progress.of();
        }
        latest.put(progress.rank(), progress);
    }

    /** Returns the number of steps of all workers until the end; {@code of} steps of a worker are an epoch. */
    long total(int of) {
        return (long) workers * epochs * of;
    }

    /** Returns the number of steps that all workers have done. Never falls from one report to the next. */
    long done() {
        return latest.values().stream().mapToLong(Progress::steps).sum() + (long) before * (workers - latest.size());
    }

    /** Returns the examples of all workers in a second. */
    double rate() {
        return latest.values().stream().mapToDouble(Progress::rate).sum();
    }

    /** Returns mean loss and rate, always of the same length: the bar beside it takes the rest of the line. */
    String state() {
        double loss =
                latest.values().stream().mapToDouble(Progress::loss).average().orElse(0);
        return String.format(Locale.ROOT, "loss %.4f  %,11.0f examples/s", loss, rate());
    }
}
