package io.psf.cli;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job on this machine, with one process per node: a scheduler, servers, and a program of the user as the workers.
 * Nodes are named {@code scheduler}, {@code server 0}, {@code worker 1}. Once the workers have ended, the other nodes
 * are terminated unless they end within {@link LocalJobBuilder#toFollow(Duration)}, or are a service. If a node fails,
 * the other nodes are terminated, or a server is started again ({@link LocalJobBuilder#replaceServers}). No process is
 * left behind, even if this JVM is asked to terminate. If this JVM is killed, the psf nodes detect it and terminate
 * themselves. Thread-safe.
 *
 * <pre>{@code
 * try (LocalJob job = LocalJob.builder().servers(2).workers(2)
 *         .workerCommand(List.of("java", "-cp", "app.jar", "Main")).start()) {
 *     job.awaitExit();
 *     return job.exitCode();
 * }
 * }</pre>
 */
public final class LocalJob implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("scheduler listening on (\\S+:\\d+)");
    /** A scheduler that listens on all addresses of this machine. */
    private static final Pattern ANY = Pattern.compile("^(0\\.0\\.0\\.0|\\[::\\]):");

    private static final String READY = "cluster is ready: ";

    /** The time limit for the scheduler to listen. */
    private static final Duration START = Duration.ofSeconds(60);

    /** The time limit for a process to end on request, after which it is killed. */
    private static final Duration TO_END = Duration.ofSeconds(5);

    /**
     * The time that the workers have to report the loss of a server or of the scheduler, before they are terminated.
     */
    private static final Duration TO_COMPLAIN = Duration.ofSeconds(3);

    /** The time limit for reading the line that reports a ready cluster, once a worker has ended. */
    private static final Duration TO_BE_READ = Duration.ofSeconds(1);

    /** The exit code of a job whose cluster could not form because a worker ended with 0 before. */
    private static final int NOT_FORMED = 1;

    /** The number of servers that a job starts again, so that a server that fails at its start ends the job. */
    private static final int MOST_REPLACED = 20;

    private final LocalJobBuilder plan;
    private final BiConsumer<String, String> lines;
    private final JobCertificates certificates;
    private final Map<String, LocalNode> nodes = new LinkedHashMap<>();
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final Thread atShutdown = new Thread(this::endAll, "psf-job-end");
    private boolean complete;
    private boolean ending;
    /** True once all nodes have ended. */
    private boolean settled;

    private @Nullable LocalNode failedWorker;
    private @Nullable LocalNode failedNode;
    /** The node whose failure came before all others. */
    private @Nullable LocalNode failedFirst;
    /** True once every node has joined. */
    private boolean formed;
    /** The number of servers that were started again. */
    private int replaced;
    /** True if the job was terminated because a worker had ended without joining. */
    private boolean unformed;

    LocalJob(LocalJobBuilder plan) {
        this.plan = plan;
        this.certificates = plan.certificates();
        Object turn = new Object();
        this.lines = (node, line) -> {
            synchronized (turn) {
                plan.lines.accept(node, line);
            }
        };
    }

    /** Returns a builder of a job; {@link LocalJobBuilder#start()} starts the job. */
    public static LocalJobBuilder builder() {
        return new LocalJobBuilder();
    }

    /** Starts the nodes. Returns once all processes run, before the cluster is complete. */
    LocalJob started() {
        Runtime.getRuntime().addShutdownHook(atShutdown);
        try {
            Path settings = certificates.issue();
            if (settings != null) {
                lines.accept(
                        "psf", "TLS with certificates of this job, for psf status and others: PSF_CONFIG=" + settings);
            }
            start("scheduler", "scheduler", 0, plan.scheduler);
            String where = schedulerAddress();
            for (int rank = 0; rank < plan.servers; rank++) {
                start("server " + rank, "server", rank, where);
            }
            for (int rank = 0; rank < plan.workers && !plan.command.isEmpty(); rank++) {
                start("worker " + rank, "worker", rank, where);
            }
            synchronized (this) {
                complete = true;
            }
            settle();
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // exited() completes ended
    private synchronized void start(String name, String role, int rank, String scheduler) {
        if (ending) {
            throw new PsException(PsException.Code.CANCELLED, name + ": not started, since the job is being ended");
        }
        boolean worker = role.equals("worker");
        List<String> command = new ArrayList<>(plan.launcher.apply(name));
        command.addAll(
                worker ? plan.command : NodeJvm.node(role, plan.nodeClassPath(), plan.nodeFlags, plan.environment));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        plan.place(environment, role, rank, scheduler);
        environment.putIfAbsent(NodeJvm.ALLOCATOR, NodeJvm.HUGE_PAGES);
        environment.putAll(plan.environment);
        environment.putAll(certificates.environment(worker));
        try {
            LocalNode node = LocalNode.start(name, worker, builder, role.equals("scheduler") ? this::listen : lines);
            nodes.put(name, node);
            node.done().thenAccept(code -> exited(node, code));
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: cannot be run as %s (expected: a program; %s)".formatted(command.get(0), name, e.getMessage()),
                    e);
        }
    }

    /** Watches the job until the watch is closed. Blocks until the scheduler listens. */
    public JobWatch watch() {
        Map<String, String> settings = new LinkedHashMap<>(plan.environment);
        settings.putAll(certificates.environment(true));
        return JobWatch.of(schedulerAddress(), settings);
    }

    private void listen(String node, String line) {
        if (!address.isDone()) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                address.complete(ANY.matcher(matcher.group(1)).replaceFirst("127.0.0.1:"));
            }
        }
        if (line.contains(READY)) {
            synchronized (this) {
                formed = true;
            }
        }
        lines.accept(node, line);
    }

    /**
     * Returns the scheduler's address, {@code host:port}, for workers that are started separately. Blocks until the
     * scheduler listens.
     */
    public String schedulerAddress() {
        try {
            return address.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new PsException(
                    PsException.Code.TIMED_OUT,
                    String.format(Locale.ROOT, "scheduler: not listening after %d s", START.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new PsException(PsException.Code.UNAVAILABLE, String.valueOf(cause.getMessage()), e);
        }
    }

    private void exited(LocalNode node, int code) {
        if (node.name().equals("scheduler")) {
            address.completeExceptionally(new IOException(String.format(
                    Locale.ROOT, "scheduler: ended with exit code %d before it listened: %s", code, node.lastLine())));
        }
        boolean isNews = false;
        boolean isEarly;
        boolean isReplaced;
        synchronized (this) {
            isEarly = code == 0 && node.isWorker() && !formed && !ending;
            boolean isFailed = code != 0 && !ending;
            isReplaced = isFailed && isReplaceable(node) && replaced++ < MOST_REPLACED;
            if (isFailed && !isReplaced) {
                isNews = true;
                failedFirst = failedFirst == null ? node : failedFirst;
                if (node.isWorker() && failedWorker == null) {
                    failedWorker = node;
                } else if (!node.isWorker() && failedNode == null) {
                    failedNode = node;
                }
            }
        }
        if (isNews) {
            lines.accept("psf", String.format(Locale.ROOT, "%s ended with exit code %d", node.name(), code));
            if (plan.endOnFailure) {
                after(node.isWorker() ? Duration.ZERO : TO_COMPLAIN).execute(this::endAll);
            }
        }
        if (isReplaced) {
            replace(node, code);
        }
        if (isEarly) {
            after(TO_BE_READ).execute(() -> endUnformed(node));
        }
        settle();
    }

    /** True for a server that workers wait for. Called with the lock. */
    private boolean isReplaceable(LocalNode node) {
        return plan.replacesServers && node.isServer() && formed && !workersHaveEnded();
    }

    private void replace(LocalNode server, int code) {
        lines.accept("psf", server.name() + " ended with exit code " + code + ", and is started again");
        try {
            start(server.name(), "server", server.rank(), schedulerAddress());
        } catch (PsException e) {
            lines.accept("psf", String.valueOf(e.getMessage())); // such as a job that is being ended
        }
    }

    /** Terminates a job whose cluster cannot form because a worker has ended. */
    private void endUnformed(LocalNode worker) {
        synchronized (this) {
            if (formed || ending || unformed) {
                return;
            }
            unformed = plan.endOnFailure;
        }
        lines.accept(
                "psf",
                "%s ended with exit code 0 before the cluster was ready, so the cluster cannot form (expected: a program that connects as a worker)"
                        .formatted(worker.name()));
        if (plan.endOnFailure) {
            endAll();
        }
    }

    /** Completes the job if all nodes have ended. If only the workers have, schedules the termination of the others. */
    private void settle() {
        boolean workersHaveEnded;
        boolean isOver;
        int code;
        LocalNode first;
        synchronized (this) {
            if (!complete && !ending) {
                return;
            }
            boolean allHaveEnded = nodes.values().stream().allMatch(LocalNode::hasEnded);
            workersHaveEnded = workersHaveEnded();
            if (!allHaveEnded) {
                code = -1;
            } else {
                LocalNode failed = failedWorker != null ? failedWorker : failedNode;
                code = failed == null && unformed ? NOT_FORMED : exitCodeOf(failed);
            }
            isOver = code >= 0 && !settled;
            settled |= isOver;
            first = failedFirst;
        }
        if (isOver) {
            if (first != null) {
                lines.accept("psf", "the job has failed: " + first.failure());
            }
            ended.complete(code);
        } else if (code < 0 && workersHaveEnded) {
            after(plan.toFollow).execute(this::endStragglers);
        }
    }

    /** True once all workers of a job have ended, which a service does not wait for. Called with the lock. */
    private boolean workersHaveEnded() {
        return !plan.service
                && !plan.command.isEmpty()
                && nodes.values().stream().filter(LocalNode::isWorker).allMatch(LocalNode::hasEnded);
    }

    private static int exitCodeOf(@Nullable LocalNode node) {
        return node == null ? 0 : node.process().exitValue();
    }

    private void endStragglers() {
        List<String> stragglers = copy().stream()
                .filter(node -> !node.hasEnded())
                .map(LocalNode::name)
                .toList();
        synchronized (this) {
            if (ending || stragglers.isEmpty()) {
                return;
            }
        }
        lines.accept(
                "psf",
                String.format(
                        Locale.ROOT,
                        "%s had not ended %d s after the workers and had to be terminated",
                        String.join(", ", stragglers),
                        plan.toFollow.toSeconds()));
        endAll();
    }

    private static Executor after(Duration delay) {
        return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized List<LocalNode> copy() {
        return List.copyOf(nodes.values());
    }

    /** Terminates all processes. Blocks until they have ended or have been killed. */
    private void endAll() {
        synchronized (this) {
            ending = true;
        }
        List<LocalNode> all = copy();
        all.forEach(LocalNode::end);
        long until = System.nanoTime() + TO_END.toNanos();
        for (LocalNode node : all) {
            if (!waitFor(node, until - System.nanoTime())) {
                node.kill();
            }
        }
        all.forEach(node -> waitFor(node, TO_END.toNanos()));
        all.forEach(LocalNode::kill);
        certificates.close();
        settle();
    }

    private static boolean waitFor(LocalNode node, long nanos) {
        try {
            return node.process().waitFor(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Blocks until every node has ended. */
    public void awaitExit() {
        try {
            ended.get();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Blocks until every node has ended, or the limit passes. Returns true if every node has ended. */
    public boolean awaitExit(Duration limit) {
        try {
            ended.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the exit code of the first worker that failed, else of the first other node that failed, else 1 if a
     * worker ended before the cluster had formed, else 0. Nodes that were terminated with the job
     * do not count. Throws {@link IllegalStateException} if the job has not ended.
     */
    public int exitCode() {
        if (!ended.isDone()) {
            throw new IllegalStateException("the job has not ended (expected: awaitExit first)");
        }
        return ended.join();
    }

    /** Returns the process of a node. */
    public Process process(String node) {
        return node(node).process();
    }

    /** Kills a node like {@code kill -9}. Blocks until its process has ended. */
    public void kill(String node) {
        LocalNode victim = node(node);
        victim.kill();
        waitFor(victim, TO_END.toNanos());
    }

    private synchronized LocalNode node(String name) {
        LocalNode node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("node: %s (expected: one of %s)".formatted(name, nodes.keySet()));
        }
        return node;
    }

    private static PsException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PsException(PsException.Code.CANCELLED, "interrupted while waiting for the job", e);
    }

    /** Terminates the processes that still run. Blocks until they have ended. */
    @Override
    public void close() {
        endAll();
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // The JVM is shutting down and runs the hook itself.
        }
    }
}
