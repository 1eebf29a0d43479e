package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a peer: a scheduler, a server and a worker. They are killed on {@link #close} and when this JVM is
 * asked to terminate, with their descendants.
 */
final class PeerProcesses implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    /** The time limit for a killed process to end. */
    private static final int SECONDS_TO_END = 5;

    private static final int LONGEST_LINE = 200;

    private final Path program;
    private final Path outputs = Files.createTempDirectory("psf-peer");
    private final int port = freePort();
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final Set<ProcessHandle> family = new LinkedHashSet<>();
    private final Thread atShutdown = new Thread(this::kill, "psf-peer-end");
    private boolean killed;

    private PeerProcesses(Path program) throws IOException {
        this.program = program;
    }

    static PeerProcesses start(Path program) throws IOException {
        PeerProcesses started = new PeerProcesses(program);
        Runtime.getRuntime().addShutdownHook(started.atShutdown);
        try {
            for (String role : List.of("scheduler", "server", "worker")) {
                started.start(role);
            }
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private synchronized void start(String role) {
        assertNotKilled();
        ProcessBuilder builder = new ProcessBuilder(program.toString())
                .redirectErrorStream(true)
                .redirectOutput(output(role).toFile());
        builder.environment()
                .putAll(Map.of(
                        "DMLC_ROLE",
                        role,
                        "DMLC_NUM_SERVER",
                        "1",
                        "DMLC_NUM_WORKER",
                        "1",
                        "DMLC_PS_ROOT_URI",
                        HOST,
                        "DMLC_PS_ROOT_PORT",
                        Integer.toString(port),
                        "DMLC_NODE_HOST",
                        HOST));
        try {
            Process process = builder.start();
            processes.put(role, process);
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: cannot be run as %s (expected: a program; %s)".formatted(program, role, e.getMessage()),
                    e);
        }
    }

    /** Fails if the processes were killed by {@link #atShutdown}, whose exit codes are no failure of the peer. */
    private void assertNotKilled() {
        if (killed) {
            throw new PsException(PsException.Code.CANCELLED, program + ": killed, since psf is being terminated");
        }
    }

    private Path output(String role) {
        return outputs.resolve(role);
    }

    /**
     * Waits until the worker has ended or the time has passed. Returns true if the worker has ended without an error.
     */
    boolean awaitWorker(long nanos) throws InterruptedException {
        rememberDescendants();
        Process worker = process("worker");
        return worker.waitFor(nanos, TimeUnit.NANOSECONDS) && worker.exitValue() == 0;
    }

    private synchronized Process process(String role) {
        return Objects.requireNonNull(processes.get(role));
    }

    /** Must be called while the processes live: the descendants of an ended process are not found. */
    private synchronized void rememberDescendants() {
        for (Process process : processes.values()) {
            family.add(process.toHandle());
            try (Stream<ProcessHandle> descendants = process.descendants()) {
                descendants.forEach(family::add);
            }
        }
    }

    /** Returns the failure of a process that has ended with an error; null for none. */
    @Nullable
    synchronized String failed() {
        assertNotKilled();
        for (Map.Entry<String, Process> process : processes.entrySet()) {
            if (!process.getValue().isAlive() && process.getValue().exitValue() != 0) {
                return String.format(
                        Locale.ROOT,
                        "ended as %s with exit code %d; %s",
                        process.getKey(),
                        process.getValue().exitValue(),
                        lastLine(process.getKey()));
            }
        }
        return null;
    }

    /** Returns the lines that a process has printed. */
    List<String> lines(String role) {
        try {
            return new String(Files.readAllBytes(output(role)), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of(); // deleted by kill()
        }
    }

    /** Describes the last line of a process for a message. */
    String lastLine(String role) {
        List<String> lines =
                lines(role).stream().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty()) {
            return "it printed nothing";
        }
        String last = lines.get(lines.size() - 1).strip();
        return "its last line: " + last.substring(0, Math.min(LONGEST_LINE, last.length()));
    }

    /** Kills all processes and their descendants. Blocks until the processes have ended. */
    private synchronized void kill() {
        if (killed) {
            return;
        }
        killed = true;
        rememberDescendants();
        family.forEach(ProcessHandle::destroyForcibly);
        for (Process process : processes.values()) {
            process.onExit()
                    .completeOnTimeout(process, SECONDS_TO_END, TimeUnit.SECONDS)
                    .join();
        }
        for (String role : processes.keySet()) {
            output(role).toFile().delete();
        }
        outputs.toFile().delete();
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // The JVM is shutting down and runs the hook itself.
        }
    }
}
