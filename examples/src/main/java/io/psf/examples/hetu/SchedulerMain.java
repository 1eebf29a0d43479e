package io.psf.examples.hetu;

import io.psf.runtime.Scheduler;
import io.psf.runtime.Settings;

/** Hetu's {@code scheduler.py}. */
public final class SchedulerMain {
    private SchedulerMain() {}

    /** Runs the scheduler that the environment names, until the job ends. */
    public static void main(String[] arguments) {
        try (Scheduler scheduler = Scheduler.start(Settings.fromEnvironment().scheduler())) {
            scheduler.awaitTermination();
        }
    }
}
