package io.psf.cli;

import io.psf.api.PsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** What a {@link LocalJob} is: 1 server and 1 worker unless said. */
public final class LocalJobBuilder {
    int servers = 1;
    int workers = 1;
    List<String> classPath = List.of();
    List<String> nodeFlags = List.of();
    private List<String> workerFlags = List.of();
    private List<String> workerMain = List.of();
    List<String> command = List.of();
    Map<String, String> environment = Map.of();
    boolean endOnFailure = true;
    Duration toFollow = Duration.ofSeconds(15);
    Function<String, List<String>> launcher = node -> List.of();
    BiConsumer<String, String> lines = (node, line) -> System.out.println("[" + node + "] " + line);

    LocalJobBuilder() {}

    /** How many servers, at least 1. */
    public LocalJobBuilder servers(int servers) {
        this.servers = servers;
        return this;
    }

    /** How many workers make up the cluster, at least 1. */
    public LocalJobBuilder workers(int workers) {
        this.workers = workers;
        return this;
    }

    /** What the scheduler and the servers have on their class path after that of this JVM, for users' handlers. */
    public LocalJobBuilder classPath(List<String> entries) {
        this.classPath = List.copyOf(entries);
        return this;
    }

    /** Flags of the scheduler's and the servers' JVMs, such as {@code -Xmx1g}. */
    public LocalJobBuilder nodeFlags(List<String> flags) {
        this.nodeFlags = List.copyOf(flags);
        return this;
    }

    /** Flags of the workers' JVMs that {@link #workerMain} asks for. */
    public LocalJobBuilder workerFlags(List<String> flags) {
        this.workerFlags = List.copyOf(flags);
        return this;
    }

    /**
     * The program that is run as each worker, and its arguments. Without one the job has no worker processes: the
     * cluster waits for workers that connect to {@link LocalJob#schedulerAddress()}.
     */
    public LocalJobBuilder workerCommand(List<String> command) {
        this.command = List.copyOf(command);
        this.workerMain = List.of();
        return this;
    }

    /**
     * The program that is run as each worker: a class with a {@code main}, in a JVM like this one with this class path
     * and psf's flags.
     */
    public LocalJobBuilder workerMain(Class<?> main, String... arguments) {
        List<String> program = new ArrayList<>();
        program.add(main.getName());
        program.addAll(List.of(arguments));
        this.workerMain = List.copyOf(program);
        return this;
    }

    private List<String> mainCommand() {
        List<String> java = new ArrayList<>();
        java.add(NodeJvm.java());
        java.addAll(NodeJvm.flags());
        java.addAll(workerFlags);
        java.addAll(List.of("-cp", System.getProperty("java.class.path")));
        java.addAll(workerMain);
        return java;
    }

    /** Variables for every node, beside those of this process's environment. */
    public LocalJobBuilder environment(Map<String, String> variables) {
        this.environment = new LinkedHashMap<>(variables);
        return this;
    }

    /**
     * A command that each node's command is an argument of, by the node's name: {@code taskset -c 0} pins a node to a
     * processor. An empty list starts the node as it is.
     */
    public LocalJobBuilder launcher(Function<String, List<String>> launcher) {
        this.launcher = launcher;
        return this;
    }

    /** Whether everything is ended when a node fails; so unless said. A test that kills a node says no. */
    public LocalJobBuilder endOnFailure(boolean endOnFailure) {
        this.endOnFailure = endOnFailure;
        return this;
    }

    /** How long the servers and the scheduler may take to end after the workers; 15 seconds unless said. */
    public LocalJobBuilder toFollow(Duration toFollow) {
        this.toFollow = toFollow;
        return this;
    }

    /**
     * Who gets the lines of all nodes, with the node's name; one at a time, from threads of the job. They are printed
     * as {@code [worker 1] line} unless said. What the job itself has to say comes as node {@code psf}.
     */
    public LocalJobBuilder onLine(BiConsumer<String, String> lines) {
        this.lines = lines;
        return this;
    }

    /**
     * Starts the job; returns when all processes run, before the cluster is complete.
     *
     * @throws PsException if the scheduler does not come up, or the program cannot be run
     */
    public LocalJob start() {
        require("servers", servers);
        require("workers", workers);
        if (!workerMain.isEmpty()) {
            command = mainCommand();
        }
        return new LocalJob(this).started();
    }

    private static void require(String name, int count) {
        if (count < 1) {
            throw new PsException(PsException.Code.CONFIGURATION, "%s: %d (expected: >= 1)".formatted(name, count));
        }
    }
}
