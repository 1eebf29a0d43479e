package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The cluster that a command is for: the address of its scheduler, by an option or a setting. */
final class SchedulerOption {
    @Option(
            names = "--scheduler",
            paramLabel = "HOST:PORT",
            description = "where the scheduler listens (PSF_SCHEDULER)")
    private @Nullable String scheduler;

    /** True if the option is given. */
    boolean isGiven() {
        return scheduler != null;
    }

    /**
     * Returns what the command connects with.
     *
     * @param patience the time for the connection and for each call
     */
    WorkerConfig config(Map<String, String> environment, Duration patience) {
        Settings settings = Settings.of(environment)
                .with(
                        scheduler == null
                                ? Map.of("PSF_ROLE", "worker")
                                : Map.of("PSF_ROLE", "worker", "PSF_SCHEDULER", scheduler));
        if (settings.schedulerAddress() == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--scheduler: not set (expected: host:port, where the scheduler listens, which psf launch prints; or the"
                            + " setting PSF_SCHEDULER)");
        }
        return settings.worker().withRank(-1).withJoinTimeout(patience).withDeadline(patience);
    }
}
