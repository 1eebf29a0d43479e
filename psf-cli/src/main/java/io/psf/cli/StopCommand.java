package io.psf.cli;

import io.psf.api.Member;
import io.psf.runtime.Client;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Ends a running cluster. */
@Command(
        name = "stop",
        description = {
            "Ends a running cluster, a service as well as a job, and prints what it has ended.",
            "The servers and the scheduler end. Calls of its workers and clients fail with CLOSED.",
            "A cluster with a secret requires it here, too (PSF_SECRET)."
        },
        footer = {"%nExample:", "  psf stop --scheduler 127.0.0.1:4080"},
        mixinStandardHelpOptions = true)
final class StopCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Mixin
    private SchedulerOption scheduler = new SchedulerOption();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        List<Member> members = Client.end(scheduler.config(System.getenv(), PATIENCE));
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        out.println("ended the cluster of " + NodeCounts.of(members));
        out.flush();
        return 0;
    }
}
