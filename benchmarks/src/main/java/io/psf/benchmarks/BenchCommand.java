package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code psf bench}: measures psf against the machine's floors, with server and worker as processes; or, with JMH, the
 * parts of a call in this process; or, with a long mixed load, whether memory stays as it is.
 */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures psf against what the machine does without it, in one run.")
final class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--full",
            description = "measures longer, and cases without a goal, too; writes the table in the documentation")
    private boolean full;

    @Option(
            names = "--only",
            paramLabel = "PATTERN",
            description = "measures the cases alone whose name fits the pattern")
    private @Nullable String only;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "auto, tcp, shm or netty for all processes (default: tcp, and some cases again with shm)")
    private @Nullable String transport;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "how often the floor and psf take turns (default: 7, with --full 11)")
    private @Nullable Integer rounds;

    @Option(
            names = "--fresh",
            paramLabel = "N",
            description = "measures all in new processes N times, and says how far the medians lie apart")
    private @Nullable Integer fresh;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "where the results go as JSON, and a plot of them beside it (default: ${DEFAULT-VALUE})",
            defaultValue = "target/bench/results.json")
    private Path out = Path.of("target/bench/results.json");

    @Option(
            names = "--docs",
            paramLabel = "FILE",
            description = "whose table --full writes (default: docs/performance.md; none with --only)")
    private @Nullable Path docs;

    @Option(
            names = "--jfr",
            paramLabel = "DIR",
            description = "records each process with Java Flight Recorder, into a folder")
    private @Nullable Path jfr;

    @Option(
            names = "--soak",
            paramLabel = "TIME",
            description = "nothing but a mixed load for so long, such as 30m: does memory stay as it is?")
    private @Nullable String soak;

    @Option(
            names = "--jmh",
            paramLabel = "PATTERN",
            arity = "0..1",
            fallbackValue = ".*",
            description = "measures with JMH, in process, what a call costs on the caller's own thread, and what it"
                    + " allocates; those whose name fits the pattern (default: all)")
    private @Nullable String jmh;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli's
    private CommandSpec spec;

    @Override
    public Integer call() throws RunnerException, IOException {
        if (jmh != null) {
            new Runner(new OptionsBuilder()
                            .include(jmh)
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run();
            return 0;
        }
        Recordings recordings = jfr == null ? null : Recordings.in(jfr);
        Transport told = transport == null ? null : Transport.parse(transport);
        if (soak != null) {
            return SoakWorker.run(told == null ? Transport.TCP : told, duration(soak), recordings);
        }
        GoalsTable table = !full || only != null && docs == null
                ? null
                : GoalsTable.in(docs == null ? Path.of("docs", "performance.md") : docs);
        BenchRun run = new BenchRun(
                told,
                Plan.of(full, rounds(), !full && only == null),
                full,
                pattern(only == null ? "" : only),
                recordings);
        if (fresh != null) {
            return FreshRuns.measure(run, atLeast(1, "--fresh", fresh)) ? 0 : 1;
        }
        boolean ended = run.measure();
        run.write(out);
        if (table != null && ended) {
            table.fill(Report.markdown(run.results(), origin()));
            System.out.println("table written to " + table.file());
        }
        return ended ? 0 : 1;
    }

    /** Where the figures come from. */
    private String origin() {
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return "`./psf %s` on %s, %s; medians of %d rounds, the spread is from the least to the greatest"
                .formatted(
                        String.join(" ", arguments),
                        ThisProcess.machine(),
                        LocalDate.now(ZoneId.systemDefault()),
                        rounds());
    }

    private int rounds() {
        return atLeast(1, "--rounds", rounds == null ? (full ? 11 : 7) : rounds);
    }

    private static int atLeast(int least, String option, int asked) {
        if (asked < least) {
            throw wrong("%s: %d (expected: >= %d)".formatted(option, asked, least));
        }
        return asked;
    }

    private static Pattern pattern(String text) {
        try {
            return WorkerTask.only(text);
        } catch (PatternSyntaxException e) {
            throw wrong("--only: %s (expected: a regular expression; %s)".formatted(text, e.getDescription()));
        }
    }

    /** {@code 90s}, {@code 30m}, {@code 8h}. */
    static Duration duration(String text) {
        try {
            Duration duration = Duration.parse("PT" + text);
            if (duration.compareTo(SoakWorker.SHORTEST) >= 0) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // said below
        }
        throw wrong("--soak: %s (expected: a time such as 30m, at least %d s)"
                .formatted(text, SoakWorker.SHORTEST.toSeconds()));
    }

    private static PsException wrong(String detail) {
        return new PsException(PsException.Code.CONFIGURATION, detail);
    }
}
