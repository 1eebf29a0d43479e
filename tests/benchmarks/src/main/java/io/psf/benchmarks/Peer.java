package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Another parameter server: a program of ps-lite that was built outside of psf, and measures calls like the calls of
 * psf's cases.
 *
 * @param program the program, which is scheduler, server or worker by the variable {@code DMLC_ROLE}
 * @param limit the time limit of a run
 */
record Peer(Path program, Duration limit) {
    /** The usual time limit of a run, which takes about a minute. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    private static final long POLL = TimeUnit.SECONDS.toNanos(1);

    /**
     * Finds the program {@code bench} in a folder.
     *
     * @throws PsException with {@code CONFIGURATION} if the folder has no such program
     */
    static Peer in(Path folder, Duration limit) {
        Path program = folder.resolve("bench").toAbsolutePath().normalize();
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--peer: %s is no executable file (expected: a program of ps-lite, see docs/performance.md)"
                            .formatted(program));
        }
        return new Peer(program, limit);
    }

    /**
     * Runs a scheduler, a server and a worker. Blocks until the worker has ended. No process is left behind.
     *
     * @param cases the cases that the worker must measure
     * @throws PsException with {@code UNAVAILABLE} if a process fails or a case has no figure, with {@code TIMED_OUT}
     *     if the limit passes, with {@code CANCELLED} if the thread is interrupted
     */
    PeerFigures measure(List<Line> cases) throws IOException {
        try (PeerProcesses processes = PeerProcesses.start(program)) {
            double others = await(processes);
            PeerFigures figures = PeerFigures.parse(processes.lines("worker"), others);
            String missing = cases.stream()
                    .filter(line -> !figures.has(line))
                    .map(line -> "\"" + line.name() + "\"")
                    .collect(Collectors.joining(", "));
            if (!missing.isEmpty()) {
                throw failure("printed no figure of " + missing, "a line of each case, such as ");
            }
            return figures;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, program + ": interrupted while it runs", e);
        }
    }

    /** Waits until the worker has ended. Returns the share of the machine that other processes took. */
    private double await(PeerProcesses processes) throws InterruptedException {
        OtherLoad others = new OtherLoad();
        double sum = 0;
        int samples = 0;
        long begin = System.nanoTime();
        while (true) {
            long left = limit.toNanos() - (System.nanoTime() - begin);
            if (processes.awaitWorker(Math.min(POLL, Math.max(0, left)))) {
                return samples == 0 ? 0 : sum / samples;
            }
            String failed = processes.failed();
            if (failed != null) {
                throw failure(failed, "exit code 0, and lines such as ");
            }
            if (left <= 0) {
                throw new PsException(
                        PsException.Code.TIMED_OUT,
                        String.format(
                                Locale.ROOT,
                                "%s: killed, since it was not done after %d s; %s (expected: lines such as %s, and an end)",
                                program,
                                limit.toSeconds(),
                                processes.lastLine("worker"),
                                PeerFigures.EXAMPLES));
            }
            sum += others.sinceLast();
            samples++;
        }
    }

    private PsException failure(String found, String expected) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "%s: %s (expected: %s%s)".formatted(program, found, expected, PeerFigures.EXAMPLES));
    }
}
