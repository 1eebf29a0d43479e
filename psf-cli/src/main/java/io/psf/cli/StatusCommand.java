package io.psf.cli;

import io.psf.api.PsException;
import io.psf.dashboard.ClusterStatus;
import io.psf.runtime.Guest;
import io.psf.runtime.WorkerConfig;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the members, tensors and functions of a running cluster. */
@Command(
        name = "status",
        description = {
            "Prints the nodes, tensors and functions of a running cluster: once, or every interval on a terminal.",
            "The exit code of a single print is 1 if a server is missing: the rows there are not in the sums.",
            "It visits the cluster as a guest for each print: nothing waits for it, and nothing changes.",
            "Rows of a table that grows have a plus sign. --json has all that is counted.",
            "The servers count the requests of functions from the first visit on. Rates are since the print before; a"
                    + " single print takes them over a second.",
            "A cluster with a secret requires it here, too (PSF_SECRET)."
        },
        footer = {"%nExample:", "  psf status --scheduler 127.0.0.1:4080"},
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** The least time of the counts in a single print, and the time of its rates. */
    private static final Duration COUNTED = Duration.ofSeconds(1);

    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Mixin
    private SchedulerOption scheduler = new SchedulerOption();

    @Option(names = "--json", description = "as JSON, an object on each line")
    private boolean json;

    @Option(names = "--once", description = "once, also on a terminal")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            description = "the time between two prints; default: 2 on a terminal, otherwise one print")
    private @Nullable Double interval;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "4",
            description = "the most rows of each table, 0 for all; default: ${DEFAULT-VALUE}, which fits 24 lines")
    private int top;

    /** The last print; null if there is none, or the cluster could not be visited since. */
    private @Nullable ClusterStatus last;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        boolean repeats = !once && (interval != null || !json && isTerminal());
        double seconds = interval == null ? 2 : interval;
        if (!(seconds > 0 && seconds <= 86_400)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "--interval: " + seconds + " (expected: above 0, at most 86400)");
        }
        if (top < 0) {
            throw new PsException(PsException.Code.CONFIGURATION, "--top: " + top + " (expected: at least 0)");
        }
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        WorkerConfig config = scheduler.config(System.getenv(), PATIENCE);
        if (!repeats) {
            ClusterStatus status = visit(config);
            ClusterStatus first = null;
            if (!json || status.statistics().time().compareTo(COUNTED) < 0) {
                Thread.sleep(COUNTED.toMillis());
                first = status;
                status = visit(config);
            }
            print(status, first, out);
            return status.cluster().missingServers().isEmpty() ? 0 : 1;
        }
        while (!out.checkError()) {
            repeat(config, out);
            Thread.sleep((long) (seconds * 1000));
        }
        return 0;
    }

    /** Prints the cluster as it is now, or why it cannot be visited now: it forms, has lost a server, or has ended. */
    private void repeat(WorkerConfig config, PrintWriter out) {
        try {
            ClusterStatus status = visit(config);
            out.print(isTerminal() && !json ? CLEAR : "");
            print(status, last, out);
            last = status;
        } catch (PsException e) {
            if (e.code() != PsException.Code.UNAVAILABLE && e.code() != PsException.Code.TIMED_OUT) {
                throw e;
            }
            last = null; // the next cluster may be another one
            PrintWriter err = Objects.requireNonNull(spec, "spec").commandLine().getErr();
            err.println("psf: " + e.getMessage());
            err.flush();
        }
    }

    /** Visits the cluster for one print: the members are the members of the visit. */
    private static ClusterStatus visit(WorkerConfig config) {
        try (Guest guest = Guest.visit(config)) {
            return ClusterStatus.of(guest);
        }
    }

    private static boolean isTerminal() {
        return CommandLine.Help.Ansi.AUTO.enabled();
    }

    private void print(ClusterStatus status, @Nullable ClusterStatus before, PrintWriter out) {
        if (json) {
            out.println(status.json());
        } else {
            new StatusTables(status, before, top == 0 ? Integer.MAX_VALUE : top)
                    .lines(Instant.now())
                    .forEach(out::println);
        }
        out.flush();
    }
}
