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
 * A server and workers as processes of their own.
 *
 * @param name for files
 * @param program of each worker
 * @param workers how many processes
 * @param transport that all are told
 * @param placement where they run
 * @param nodeFlags of the server's JVM
 * @param settings of all nodes
 * @param recordings null for none
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
     * Runs it to its end.
     *
     * @param lines what workers print, but for their log
     * @return the exit code; 1 if the time is over
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

    /** A machine that others use, too, is slow and not lost. */
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
