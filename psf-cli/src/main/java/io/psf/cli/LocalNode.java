package io.psf.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** One process of a job on this machine, and the thread that reads its output. */
final class LocalNode {
    /** The time limit for reading lines after the process has ended, since a descendant may hold the pipe open. */
    private static final Duration LAST_LINES = Duration.ofSeconds(2);

    /** The exit code of a process that SIGKILL has ended: by a user, or by a kernel without memory. */
    private static final int KILLED = 128 + 9;

    private final String name;
    private final boolean worker;
    private final Process process;
    private final CompletableFuture<Integer> done;
    private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();
    private volatile String lastLine = "";

    private LocalNode(String name, boolean worker, Process process, BiConsumer<String, String> lines) {
        this.name = name;
        this.worker = worker;
        this.process = process;
        CompletableFuture<Void> read = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(lines, read), "psf-lines-of-" + name.replace(' ', '-'));
        reader.setDaemon(true);
        reader.start();
        this.done = process.onExit()
                .thenCompose(ended -> read.completeOnTimeout(null, LAST_LINES.toMillis(), TimeUnit.MILLISECONDS))
                .thenApply(nothing -> process.exitValue());
    }

    /**
     * Starts a process. Its standard input is closed; standard output and error go to {@code lines}, without the JVM's
     * warning of the vectors that psf has enabled.
     */
    static LocalNode start(String name, boolean worker, ProcessBuilder builder, BiConsumer<String, String> lines)
            throws IOException {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        return new LocalNode(name, worker, process, lines);
    }

    private void read(BiConsumer<String, String> lines, CompletableFuture<Void> read) {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (worker || !line.equals(NodeJvm.VECTORS_WARNING)) {
                    lastLine = line;
                    lines.accept(name, line);
                }
            }
        } catch (IOException e) {
            // The pipe of a terminated process is closed under the reader: there are no more lines.
        } finally {
            read.complete(null);
        }
    }

    /** Returns the name: {@code scheduler}, {@code server 0}, {@code worker 1}. */
    String name() {
        return name;
    }

    boolean isWorker() {
        return worker;
    }

    /** True once the process has ended and its lines have been read. */
    boolean hasEnded() {
        return done.isDone();
    }

    boolean isServer() {
        return name.startsWith("server ");
    }

    /** Returns the rank of a server or a worker. */
    int rank() {
        return Integer.parseInt(name.substring(name.indexOf(' ') + 1));
    }

    Process process() {
        return process;
    }

    /** Returns the future exit code, completed once the process has ended and its lines have been read. */
    CompletableFuture<Integer> done() {
        return done;
    }

    /** Returns what has happened to a node that has failed, and what helps. */
    String failure() {
        int code = process.exitValue();
        String ended = name + " ended first, with exit code " + code
                + (code == KILLED ? ", as if killed with SIGKILL" : "") + " (expected: ";
        return worker
                ? ended + "0; its lines above say why)"
                : ended
                        + "running until the workers end; its lines above, or the kernel's log, say why). Start the job again."
                        + " With PSF_SERVER_RETURN a job goes on when it loses a server; a cluster of psf node with PSF_JOURNAL,"
                        + " when it loses its scheduler";
    }

    String lastLine() {
        return lastLine;
    }

    /**
     * Requests the process and its descendants to end. Uses the handle, since {@link Process#destroy} would close the
     * streams before they are read.
     */
    void end() {
        rememberDescendants();
        descendants.forEach(ProcessHandle::destroy);
        process.toHandle().destroy();
    }

    /** Kills the process and its descendants. */
    void kill() {
        rememberDescendants();
        descendants.forEach(ProcessHandle::destroyForcibly);
        process.toHandle().destroyForcibly();
    }

    /** Must be called while the process lives: the descendants of an ended process are not found. */
    private void rememberDescendants() {
        try (Stream<ProcessHandle> now = process.descendants()) {
            now.forEach(descendants::add);
        }
    }
}
