package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.Guest;
import io.psf.runtime.WorkerConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what a job waits for, or has waited for. */
@Command(
        name = "explain",
        description = {
            "Says in sentences what a job waits for: the network, a busy server or lane, a slow worker, the disk, a heap,"
                    + " an absent node, or the workers' own work; with the numbers, and the settings that change it.",
            "It visits a running cluster as a guest, at the beginning and at the end of the time. The workers count their"
                    + " calls from the first visit on, and report once a second until half a minute after the last one."
        },
        footer = {"%nExamples:", "  psf explain --scheduler 127.0.0.1:4080 --for 10s", "  psf explain job.html"},
        mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Pattern SECONDS = Pattern.compile("([0-9]{1,4})s");
    /** The least time: a worker reports once a second, the first time up to a second after it was asked. */
    private static final int LEAST_SECONDS = 3;

    @Mixin
    private SchedulerOption scheduler = new SchedulerOption();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "how long the job is watched, at least 3s; default: ${DEFAULT-VALUE}")
    private String time = "";

    @Parameters(
            arity = "0..1",
            paramLabel = "REPORT",
            description =
                    "the page of a job that has ended, which psf launch --report has written: says what the job waited"
                            + " for from its beginning to its end")
    private @Nullable Path report;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        ExplainedJob job = report == null ? running() : ExplainedJob.read(report);
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        job.lines().forEach(out::println);
        out.flush();
        return 0;
    }

    private ExplainedJob running() throws InterruptedException {
        Duration limit = limit();
        WorkerConfig config = scheduler.config(System.getenv(), PATIENCE);
        JobSample before = visit(config);
        Thread.sleep(limit.toMillis());
        return ExplainedJob.of(visit(config).since(before));
    }

    private Duration limit() {
        Matcher matcher = SECONDS.matcher(time);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) < LEAST_SECONDS) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--for: " + time + " (expected: seconds, at least 3s, such as 10s)");
        }
        return Duration.ofSeconds(Integer.parseInt(matcher.group(1)));
    }

    static JobSample visit(WorkerConfig config) {
        try (Guest guest = Guest.asking(config)) {
            return JobSample.of(guest);
        }
    }
}
