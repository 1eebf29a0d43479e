package io.psf.benchmarks;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.psf.api.PsException;
import io.psf.benchmarks.scale.ScaleReport;
import io.psf.benchmarks.scale.ScaleRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code psf bench}: measures psf against the machine's floors, with server and worker as processes. With
 * {@code --jmh}, measures the parts of a call in this process. With {@code --soak}, runs a long mixed load and checks
 * whether memory stays flat. With {@code --scale}, simulates a scheduler with thousands of nodes.
 */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures psf as ratios to the floors of the machine, in the same run.")
final class BenchCommand implements Callable<Integer> {
    /** The usual number of rounds. */
    private static final int ROUNDS = 7;

    /** The usual number of alternations with a peer. */
    private static final int ALTERNATIONS = 3;

    /** The number of tensors of a simulated cluster. */
    private static final int TENSORS = 1_000;

    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,5})x([1-9]\\d{0,5})");

    @Option(
            names = "--full",
            description = "measures longer, and cases without a goal, too; writes the table in the documentation")
    private boolean full;

    @Option(
            names = "--only",
            paramLabel = "PATTERN",
            description = "measures only the cases whose name matches the pattern")
    private @Nullable String only;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "auto, tcp, shm or netty for all processes (default: tcp, and some cases again with shm)")
    private @Nullable String transport;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "the number of rounds; each measures the floor, then psf (default: 7, with --full 11);"
                    + " with --peer, the number of alternations (default: 3)")
    private @Nullable Integer rounds;

    @Option(
            names = "--peer",
            paramLabel = "DIR",
            description = "measures the program bench of a folder, another parameter server, and psf in alternation;"
                    + " only the cases that both have (see docs/performance.md)")
    private @Nullable Path peer;

    @Option(
            names = "--fresh",
            paramLabel = "N",
            description = "measures all cases in new processes N times, and compares their medians")
    private @Nullable Integer fresh;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "the file for the results as JSON; a plot is written next to it (default: ${DEFAULT-VALUE})",
            defaultValue = "target/bench/results.json")
    private Path out = Path.of("target/bench/results.json");

    @Option(
            names = "--docs",
            paramLabel = "FILE",
            description = "the file whose table --full writes (default: docs/performance.md; none with --only)")
    private @Nullable Path docs;

    @Option(
            names = "--jfr",
            paramLabel = "DIR",
            description = "records each process with Java Flight Recorder, into a folder")
    private @Nullable Path jfr;

    @Option(
            names = "--soak",
            paramLabel = "TIME",
            description = "runs only a mixed load for this time, such as 30m, and checks that memory stays flat")
    private @Nullable String soak;

    @Option(
            names = "--jmh",
            paramLabel = "PATTERN",
            arity = "0..1",
            fallbackValue = ".*",
            description = "measures with JMH, in process, what a call costs on the caller's own thread, and what it"
                    + " allocates; only those whose name matches the pattern (default: all)")
    private @Nullable String jmh;

    @Option(
            names = "--scale",
            paramLabel = "SERVERSxWORKERS",
            arity = "0..1",
            fallbackValue = "1000x10000",
            description =
                    "simulates a scheduler with so many nodes in this process (default: 1000x10000), and prints what"
                            + " its frames and its time are (see docs/scale.md)")
    private @Nullable String scale;

    @Option(
            names = "--tls",
            description =
                    "measures in this process what TLS costs: calls over TCP with it and without it; only those whose name"
                            + " matches --only")
    private boolean tls;

    @Option(
            names = "--python",
            paramLabel = "COMMAND",
            arity = "0..1",
            fallbackValue = "python3",
            description =
                    "measures calls of the package for Python beside those of Java, over TCP, by a Python with numpy"
                            + " (default: python3); only those whose name matches --only")
    private @Nullable String python;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli's
    private CommandSpec spec;

    @Override
    public Integer call() throws RunnerException, IOException, InterruptedException, ExecutionException {
        if (peer != null) {
            return measureBeside(peer);
        }
        if (jmh != null) {
            new Runner(new OptionsBuilder()
                            .include(jmh)
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run();
            return 0;
        }
        if (tls || python != null) {
            logErrorsOnly();
            Pattern names = pattern(only == null ? "" : only);
            if (python != null) {
                PythonRatios.print(python, names);
            } else {
                TlsRatios.print(names);
            }
            System.out.println();
            System.out.println(origin(String.format(Locale.ROOT, "medians of %d rounds", TlsRatios.ROUNDS)));
            return 0;
        }
        if (scale != null) {
            logErrorsOnly();
            ScaleReport.measure(scale(scale)).forEach(System.out::println);
            System.out.println();
            System.out.println(origin("one run"));
            return 0;
        }
        Recordings recordings = jfr == null ? null : Recordings.in(jfr);
        Transport told = transport == null ? null : Transport.parse(transport);
        if (soak != null) {
            return SoakWorker.run(told == null ? Transport.TCP : told, duration(soak), recordings);
        }
        GoalsTable table = !full || only != null && docs == null
                ? null
                : GoalsTable.in(
                        docs == null ? Path.of("docs", "performance.md") : docs,
                        Runtime.version().feature());
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

    /** Keeps the lines that a scheduler logs for each node out of a table. */
    private static void logErrorsOnly() {
        if (LoggerFactory.getLogger("io.psf") instanceof Logger logger) {
            logger.setLevel(Level.ERROR);
        }
    }

    private int measureBeside(Path folder) throws IOException {
        if (full || transport != null || fresh != null || docs != null || soak != null || jmh != null) {
            throw wrong("--peer: given with an option of another measurement"
                    + " (expected: only --only, --rounds, --out and --jfr beside it)");
        }
        PeerRun run = new PeerRun(
                Peer.in(folder, Peer.LIMIT),
                PeerCases.matching(pattern(only == null ? "" : only)),
                rounds(ALTERNATIONS),
                Plan.of(false, ROUNDS, false),
                jfr == null ? null : Recordings.in(jfr));
        if (!run.measure()) {
            return 1;
        }
        run.write(out);
        return 0;
    }

    /** Returns the line that describes the origin of the figures: command, machine, date and rounds. */
    private String origin() {
        return origin(String.format(
                Locale.ROOT, "medians of %d rounds, the spread is from the least to the greatest", rounds()));
    }

    private String origin(String rounds) {
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return "`./psf %s` on %s, %s; %s"
                .formatted(
                        String.join(" ", arguments),
                        ThisProcess.machine(),
                        LocalDate.now(ZoneId.systemDefault()),
                        rounds);
    }

    private int rounds() {
        return rounds(full ? 11 : ROUNDS);
    }

    private int rounds(int usual) {
        return atLeast(1, "--rounds", rounds == null ? usual : rounds);
    }

    private static int atLeast(int least, String option, int asked) {
        if (asked < least) {
            throw wrong(String.format(Locale.ROOT, "%s: %d (expected: >= %d)", option, asked, least));
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

    /** Parses a time such as {@code 90s}, {@code 30m} or {@code 8h}. */
    static Duration duration(String text) {
        try {
            Duration duration = Duration.parse("PT" + text);
            if (duration.compareTo(SoakWorker.SHORTEST) >= 0) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // reported below
        }
        throw wrong(String.format(
                Locale.ROOT,
                "--soak: %s (expected: a time such as 30m, at least %d s)",
                text,
                SoakWorker.SHORTEST.toSeconds()));
    }

    /** Parses a size such as {@code 1000x10000}. */
    static ScaleRun scale(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw wrong(
                    "--scale: %s (expected: the numbers of servers and workers, such as 1000x10000)".formatted(text));
        }
        return new ScaleRun(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)), TENSORS);
    }

    private static PsException wrong(String detail) {
        return new PsException(PsException.Code.CONFIGURATION, detail);
    }
}
