package io.psf.benchmarks;

import io.psf.cli.LocalJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code psf bench}: measures psf against the machine's floors, with server and worker as processes; or, with JMH, the
 * parts of a call in this process.
 */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures psf against raw exchanges over loopback, in one run.")
final class BenchCommand implements Callable<Integer> {
    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "where the results go as JSON (default: ${DEFAULT-VALUE})",
            defaultValue = "target/bench/results.json")
    private Path out = Path.of("target/bench/results.json");

    @Option(
            names = "--jmh",
            paramLabel = "PATTERN",
            arity = "0..1",
            fallbackValue = ".*",
            description = "measures with JMH, in process, what a call costs on the caller's own thread, and what it"
                    + " allocates; those whose name fits the pattern (default: all)")
    private @Nullable String jmh;

    @Override
    public Integer call() throws RunnerException {
        if (jmh != null) {
            new Runner(new OptionsBuilder()
                            .include(jmh)
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run();
            return 0;
        }
        try (LocalJob job = LocalJob.builder()
                .servers(1)
                .workers(1)
                .workerMain(BenchWorker.class, out.toAbsolutePath().toString())
                .onLine(BenchCommand::show)
                .start()) {
            if (!job.awaitExit(Duration.ofMinutes(10))) {
                System.err.println("psf bench: not done after 10 minutes");
                return 1;
            }
            return job.exitCode();
        }
    }

    private static void show(String node, String line) {
        if (node.startsWith("worker") && !line.contains(" INFO ")) {
            System.out.println(line);
        } else if (node.equals("psf") || line.contains(" WARN ") || line.contains(" ERROR ")) {
            System.err.println("[" + node + "] " + line);
        }
    }
}
