package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
 * A job on this machine, each node a process: a scheduler, servers, and a program of the user's as the workers. Nodes
 * are named {@code scheduler}, {@code server 0}, {@code worker 1}. When the workers have ended, the others have a while
 * to follow; when a node fails, the others are ended. Nothing is left behind, also when this JVM is told to end; when
 * it is killed, the nodes of psf notice and end by themselves. Thread-safe.
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
    private static final String READY = "cluster is ready: ";

    /** How long the scheduler may take to listen. */
    private static final Duration START = Duration.ofSeconds(60);

    /** How long an ended process may take before it is killed. */
    private static final Duration TO_END = Duration.ofSeconds(5);

    /** How long the workers may take to say what the loss of a server or the scheduler means to them. */
    private static final Duration TO_COMPLAIN = Duration.ofSeconds(3);

    /** How long the line that says that the cluster is ready may be on its way, when a worker has ended already. */
    private static final Duration TO_BE_READ = Duration.ofSeconds(1);

    /** The exit code of a job whose cluster could not form, since a worker had ended with 0. */
    private static final int NOT_FORMED = 1;

    private static final List<String> PLACE =
            List.of("PSF_ROLE", "PSF_SCHEDULER", "PSF_SERVERS", "PSF_WORKERS", "PSF_LISTEN", "PSF_RANK");

    private final LocalJobBuilder plan;
    private final BiConsumer<String, String> lines;
    private final Map<String, LocalNode> nodes = new LinkedHashMap<>();
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final Thread atShutdown = new Thread(this::endAll, "psf-job-end");
    private boolean complete;
    private boolean ending;
    private @Nullable LocalNode failedWorker;
    private @Nullable LocalNode failedNode;
    /** True if every node has joined. */
    private boolean formed;
    /** True if the job was ended since a worker had ended without joining. */
    private boolean unformed;

    LocalJob(LocalJobBuilder plan) {
        this.plan = plan;
        Object turn = new Object();
        this.lines = (node, line) -> {
            synchronized (turn) {
                plan.lines.accept(node, line);
            }
        };
    }

    /** Says what the job is; {@link LocalJobBuilder#start()} starts it. */
    public static LocalJobBuilder builder() {
        return new LocalJobBuilder();
    }

    /** Starts the nodes; returns when all processes run, before the cluster is complete. */
    LocalJob started() {
        Runtime.getRuntime().addShutdownHook(atShutdown);
        try {
            start("scheduler", "scheduler", 0, "127.0.0.1:0");
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

    @SuppressWarnings("FutureReturnValueIgnored") // what exited() has to say goes to ended
    private synchronized void start(String name, String role, int rank, String scheduler) {
        if (ending) {
            throw new PsException(PsException.Code.CANCELLED, name + ": not started, since the job is being ended");
        }
        boolean worker = role.equals("worker");
        List<String> command = new ArrayList<>(plan.launcher.apply(name));
        command.addAll(worker ? plan.command : NodeJvm.command(classPath(), plan.nodeFlags, "node", "--role", role));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        PLACE.forEach(setting -> environment.keySet().removeAll(Settings.names(setting)));
        environment.put("PSF_ROLE", role);
        environment.put("PSF_SCHEDULER", scheduler);
        environment.put("PSF_SERVERS", Integer.toString(plan.servers));
        environment.put("PSF_WORKERS", Integer.toString(plan.workers));
        environment.put("PSF_RANK", Integer.toString(rank));
        environment.put(
                ParentWatch.PARENT, Long.toString(ProcessHandle.current().pid()));
        environment.putIfAbsent(NodeJvm.ALLOCATOR, NodeJvm.HUGE_PAGES);
        environment.putAll(plan.environment);
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

    private String classPath() {
        List<String> entries = new ArrayList<>();
        entries.add(System.getProperty("java.class.path"));
        entries.addAll(plan.classPath);
        return String.join(File.pathSeparator, entries);
    }

    private void listen(String node, String line) {
        if (!address.isDone()) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                address.complete(matcher.group(1));
            }
        }
        if (line.contains(READY)) {
            synchronized (this) {
                formed = true;
            }
        }
        lines.accept(node, line);
    }

    /** Where the scheduler listens, {@code host:port}, for workers that are started otherwise. */
    public String schedulerAddress() {
        try {
            return address.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new PsException(
                    PsException.Code.TIMED_OUT, "scheduler: not listening after %d s".formatted(START.toSeconds()), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new PsException(PsException.Code.UNAVAILABLE, String.valueOf(cause.getMessage()), e);
        }
    }

    private void exited(LocalNode node, int code) {
        if (node.name().equals("scheduler")) {
            address.completeExceptionally(new IOException(
                    "scheduler: ended with exit code %d before it listened: %s".formatted(code, node.lastLine())));
        }
        boolean isNews = false;
        boolean isEarly;
        synchronized (this) {
            isEarly = code == 0 && node.isWorker() && !formed && !ending;
            if (code != 0 && !ending) {
                isNews = true;
                if (node.isWorker() && failedWorker == null) {
                    failedWorker = node;
                } else if (!node.isWorker() && failedNode == null) {
                    failedNode = node;
                }
            }
        }
        if (isNews) {
            lines.accept("psf", "%s ended with exit code %d".formatted(node.name(), code));
            if (plan.endOnFailure) {
                after(node.isWorker() ? Duration.ZERO : TO_COMPLAIN).execute(this::endAll);
            }
        }
        if (isEarly) {
            after(TO_BE_READ).execute(() -> endUnformed(node));
        }
        settle();
    }

    /** Ends a job whose nodes wait in vain, unless the last of its workers has ended too. */
    private void endUnformed(LocalNode worker) {
        synchronized (this) {
            boolean othersWait = nodes.values().stream().anyMatch(node -> node.isWorker() && !hasEnded(node));
            if (formed || ending || unformed || !othersWait) {
                return;
            }
            unformed = plan.endOnFailure;
        }
        lines.accept(
                "psf",
                "%s ended with exit code 0 before the cluster was ready, so that the others wait in vain (expected: a program that connects as a worker)"
                        .formatted(worker.name()));
        if (plan.endOnFailure) {
            endAll();
        }
    }

    /** Notes that the workers have ended, or everything. */
    private void settle() {
        boolean workersHaveEnded;
        int code;
        synchronized (this) {
            if (!complete && !ending) {
                return;
            }
            boolean allHaveEnded = nodes.values().stream().allMatch(LocalJob::hasEnded);
            workersHaveEnded = !plan.command.isEmpty()
                    && nodes.values().stream().filter(LocalNode::isWorker).allMatch(LocalJob::hasEnded);
            if (!allHaveEnded) {
                code = -1;
            } else {
                LocalNode failed = failedWorker != null ? failedWorker : failedNode;
                code = failed == null && unformed ? NOT_FORMED : exitCodeOf(failed);
            }
        }
        if (code >= 0) {
            ended.complete(code);
        } else if (workersHaveEnded) {
            after(plan.toFollow).execute(this::endStragglers);
        }
    }

    private static boolean hasEnded(LocalNode node) {
        return node.done().isDone();
    }

    private static int exitCodeOf(@Nullable LocalNode node) {
        return node == null ? 0 : node.process().exitValue();
    }

    private void endStragglers() {
        List<String> stragglers = copy().stream()
                .filter(node -> !hasEnded(node))
                .map(LocalNode::name)
                .toList();
        synchronized (this) {
            if (ending || stragglers.isEmpty()) {
                return;
            }
        }
        lines.accept(
                "psf",
                "%s had not ended %d s after the workers and had to be ended"
                        .formatted(String.join(", ", stragglers), plan.toFollow.toSeconds()));
        endAll();
    }

    private static Executor after(Duration delay) {
        return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized List<LocalNode> copy() {
        return List.copyOf(nodes.values());
    }

    /** Ends all processes and waits for that. */
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

    /** Waits until every node has ended. */
    public void awaitExit() {
        try {
            ended.get();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until every node has ended; says whether that came in time. */
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
     * The exit code of the first worker that failed, else of the first other node that did, else 1 if a worker ended
     * before it had joined while others waited for it, else 0; nodes that were ended with the job do not count.
     */
    public int exitCode() {
        if (!ended.isDone()) {
            throw new IllegalStateException("the job has not ended (expected: awaitExit first)");
        }
        return ended.join();
    }

    /** The process of a node. */
    public Process process(String node) {
        return node(node).process();
    }

    /** Kills a node, as {@code kill -9} does, and waits until it is gone. */
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

    /** Ends what still runs and waits until it is gone. */
    @Override
    public void close() {
        endAll();
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // The JVM ends, and that is why this is called.
        }
    }
}
