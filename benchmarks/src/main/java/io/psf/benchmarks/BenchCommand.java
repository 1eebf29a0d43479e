package io.psf.benchmarks;

import io.psf.cli.LocalJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code psf bench}: measures psf against the machine's floors, with server and worker as processes. */
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

    @Override
    public Integer call() {
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
