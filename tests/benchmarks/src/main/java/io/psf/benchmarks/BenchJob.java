package io.psf.benchmarks;

import io.psf.cli.LocalJob;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job of a server and workers, each in its own process.
 *
 * @param name the job's name, for file names
 * @param program the main class of each worker
 * @param workers the number of worker processes
 * @param transport the transport of all processes
 * @param placement the processors that the processes run on
 * @param nodeFlags the flags of the server's JVM
 * @param settings the settings of all nodes
 * @param recordings the flight recordings; null for none
 */
record BenchJob(
        String name,
        Class<?> program,
        int workers,
        Transport transport,
        Placement placement,
        List<String> nodeFlags,
        Map<String, String> settings,
        @Nullable Recordings recordings) {
    /**
     * Runs the job. Blocks until it ends or the limit passes.
     *
     * @param lines receives the lines that workers print, except for their log
     * @return the exit code; 1 if the limit has passed
     */
    int run(Duration limit, Consumer<String> lines, String... arguments) throws IOException {
        List<String> recording = recordings == null ? List.of() : recordings.flags();
        List<String> workerFlags = new ArrayList<>(placement.flags());
        workerFlags.addAll(recording);
        List<String> flags = new ArrayList<>(workerFlags);
        flags.addAll(nodeFlags);
        LocalJob job = LocalJob.builder()
                .servers(1)
                .workers(workers)
                .nodeFlags(flags)
                .workerFlags(workerFlags)
                .launcher(placement::launcher)
                .workerMain(program, arguments)
                .environment(environment())
                .onLine((node, line) -> show(node, line, lines))
                .start();
        int code = 1;
        try (job) {
            if (job.awaitExit(limit)) {
                code = job.exitCode();
            } else {
                System.err.println("psf bench: not done after " + limit.toMinutes() + " minutes");
            }
        }
        if (recordings != null) {
            String prefix = name.toLowerCase(Locale.ROOT);
            recordings.name(job, "scheduler", prefix);
            recordings.name(job, "server 0", prefix);
            for (int rank = 0; rank < workers; rank++) {
                recordings.name(job, "worker " + rank, prefix);
            }
        }
        return code;
    }

    /**
     * Returns the nodes' settings. The limits are long, since a node on a shared machine may be slow without being
     * lost.
     */
    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(placement.environment());
        environment.put(Transport.VARIABLE, transport.toString());
        environment.put("PSF_HEARTBEAT_LIMIT", "2m");
        environment.put("PSF_DEADLINE", "10m");
        environment.putAll(settings);
        return environment;
    }

    private static void show(String node, String line, Consumer<String> lines) {
        if (node.startsWith("worker") && !line.contains(" INFO ")) {
            lines.accept(line);
        } else if (node.equals("psf") || line.contains(" WARN ") || line.contains(" ERROR ")) {
            System.err.println("[" + node + "] " + line);
        }
    }
}
