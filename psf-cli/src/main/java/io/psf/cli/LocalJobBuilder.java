package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import java.io.File;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds a {@link LocalJob}. The default is 1 server and 1 worker. */
public final class LocalJobBuilder {
    /** The settings that a node does not take from the environment of this process. */
    private static final List<String> PLACE = List.of(
            "PSF_ROLE",
            "PSF_SCHEDULER",
            "PSF_SERVERS",
            "PSF_WORKERS",
            "PSF_LIFETIME",
            "PSF_LISTEN",
            "PSF_ADVERTISE",
            "PSF_RANK");

    /** The addresses of pages over HTTP: the scheduler takes them as they are, a server any free port of the same host. */
    private static final List<String> PAGES = List.of("PSF_HEALTH", "PSF_METRICS");

    String scheduler = "127.0.0.1:0";
    int servers = 1;
    int workers = 1;
    List<String> classPath = List.of();
    List<String> nodeFlags = List.of();
    private List<String> workerFlags = List.of();
    private List<String> workerMain = List.of();
    List<String> command = List.of();
    Map<String, String> environment = Map.of();
    boolean more;
    boolean service;
    private boolean tls;
    private boolean dashboard;
    boolean endOnFailure = true;
    boolean replacesServers;
    Duration toFollow = Duration.ofSeconds(15);
    Function<String, List<String>> launcher = node -> List.of();
    BiConsumer<String, String> lines = (node, line) -> System.out.println(LogLine.shown(node, line));

    LocalJobBuilder() {}

    /** Sets where the scheduler listens, {@code host:port}. The default is any free port of 127.0.0.1. */
    public LocalJobBuilder scheduler(String address) {
        this.scheduler = address;
        return this;
    }

    /** Sets the number of servers, at least 1. */
    public LocalJobBuilder servers(int servers) {
        this.servers = servers;
        return this;
    }

    /** Sets the number of workers in the cluster, at least 1. */
    public LocalJobBuilder workers(int workers) {
        this.workers = workers;
        return this;
    }

    /** Lets more workers join than the job starts: from elsewhere, at {@link LocalJob#schedulerAddress()}. */
    public LocalJobBuilder moreWorkers() {
        this.more = true;
        return this;
    }

    /** Makes the cluster outlive its workers, until it is told to end or the job is closed. */
    public LocalJobBuilder asService() {
        this.service = true;
        return this;
    }

    /**
     * Gives all connections TLS, with certificates that are made for the job and deleted after it, in a directory of
     * this user. The settings of other programs, such as {@code psf status}, are in a file that the job's first line
     * names. {@link #start} fails if the environment has certificates already.
     */
    public LocalJobBuilder tls() {
        this.tls = true;
        return this;
    }

    /**
     * Shows the job on a page in the browser, whose address is in the scheduler's log, on a free port of 127.0.0.1 or where
     * {@code PSF_DASHBOARD} of the environment says.
     */
    public LocalJobBuilder dashboard() {
        this.dashboard = true;
        return this;
    }

    /**
     * Sets the entries that the scheduler and the servers have on their class path after the entries of this JVM, for
     * users' handlers.
     */
    public LocalJobBuilder classPath(List<String> entries) {
        this.classPath = List.copyOf(entries);
        return this;
    }

    /** Sets the flags of the scheduler's and the servers' JVMs, such as {@code -Xmx1g}. */
    public LocalJobBuilder nodeFlags(List<String> flags) {
        this.nodeFlags = List.copyOf(flags);
        return this;
    }

    /** Sets the flags of the workers' JVMs that {@link #workerMain} starts. */
    public LocalJobBuilder workerFlags(List<String> flags) {
        this.workerFlags = List.copyOf(flags);
        return this;
    }

    /**
     * Sets the program that runs as each worker, with its arguments. Without a program the job has no worker processes:
     * the cluster waits for workers that connect to {@link LocalJob#schedulerAddress()}.
     */
    public LocalJobBuilder workerCommand(List<String> command) {
        this.command = List.copyOf(command);
        this.workerMain = List.of();
        return this;
    }

    /**
     * Sets the program that runs as each worker: a class with a {@code main}, in a JVM like this one, with this class
     * path and psf's flags.
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

    /** Sets environment variables for every node, in addition to the variables of this process. */
    public LocalJobBuilder environment(Map<String, String> variables) {
        this.environment = new LinkedHashMap<>(variables);
        return this;
    }

    /**
     * Sets the command prefix of each node, by the node's name: {@code taskset -c 0} pins a node to a processor. An
     * empty list starts the node without a prefix.
     */
    public LocalJobBuilder launcher(Function<String, List<String>> launcher) {
        this.launcher = launcher;
        return this;
    }

    /**
     * Sets the reaction to a failed node: true, the default, terminates all nodes. A test that kills a node sets false.
     */
    public LocalJobBuilder endOnFailure(boolean endOnFailure) {
        this.endOnFailure = endOnFailure;
        return this;
    }

    /**
     * Starts a server again that fails once the cluster is complete, in the place of a reaction to it. The environment has
     * {@code PSF_SERVER_RETURN} and {@code PSF_CHECKPOINTS}, with which workers wait for the server.
     */
    public LocalJobBuilder replaceServers() {
        this.replacesServers = true;
        return this;
    }

    /** Sets the time limit for the servers and the scheduler to end after the workers. The default is 15 seconds. */
    public LocalJobBuilder toFollow(Duration toFollow) {
        this.toFollow = toFollow;
        return this;
    }

    /**
     * Sets the consumer of the nodes' output lines: node name and line. Called from the job's threads, one at a time.
     * By default, a log line ({@link LogLine}) is printed as it is, and another one as {@code [worker 1] line}. The
     * job's own messages have the node name {@code psf}.
     */
    public LocalJobBuilder onLine(BiConsumer<String, String> lines) {
        this.lines = lines;
        return this;
    }

    /**
     * Starts the job. Returns once all processes run, before the cluster is complete.
     *
     * @throws PsException if the scheduler does not start, the program cannot be run, or certificates cannot be made
     */
    public LocalJob start() {
        require("servers", servers);
        require("workers", workers);
        if (!workerMain.isEmpty()) {
            command = mainCommand();
        }
        return new LocalJob(this).started();
    }

    /** Makes the directory for the certificates of the job. */
    JobCertificates certificates() {
        if (!tls) {
            return JobCertificates.none();
        }
        Map<String, String> variables = new HashMap<>(System.getenv());
        variables.putAll(environment);
        return JobCertificates.of(variables);
    }

    /** Writes a node's place in the cluster to the environment of its process. */
    void place(Map<String, String> variables, String role, int rank, String scheduler) {
        PLACE.forEach(setting -> variables.keySet().removeAll(Settings.names(setting)));
        variables.put("PSF_ROLE", role);
        variables.put("PSF_SCHEDULER", scheduler);
        variables.put("PSF_SERVERS", Integer.toString(servers));
        variables.put("PSF_WORKERS", workers + (more ? "+" : ""));
        variables.put("PSF_LIFETIME", service ? "service" : "job");
        variables.put("PSF_RANK", Integer.toString(rank));
        variables.put(ParentWatch.PARENT, Long.toString(ProcessHandle.current().pid()));
        if (role.equals("worker")) {
            variables.putIfAbsent("PSF_LEAVE_AT_EXIT", "on");
            variables.keySet().removeAll(PAGES);
        } else if (role.equals("server")) {
            Settings settings = Settings.of(variables); // those of the file of PSF_CONFIG, too
            anyPort(variables, "PSF_HEALTH", settings.health());
            anyPort(variables, "PSF_METRICS", settings.metrics());
        }
        if (dashboard) {
            variables.putIfAbsent("PSF_DASHBOARD", "127.0.0.1:0"); // the scheduler alone has one
        }
    }

    private static void anyPort(Map<String, String> variables, String page, @Nullable InetSocketAddress address) {
        if (address != null) {
            String host = address.getHostString();
            variables.put(page, (host.contains(":") ? "[" + host + "]" : host) + ":0");
        }
    }

    private static void require(String name, int count) {
        if (count < 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, String.format(Locale.ROOT, "%s: %d (expected: >= 1)", name, count));
        }
    }

    /** Returns the class path of the job's nodes: that of this JVM, and the job's own. */
    String nodeClassPath() {
        List<String> entries = new ArrayList<>();
        entries.add(System.getProperty("java.class.path"));
        entries.addAll(classPath);
        return String.join(File.pathSeparator, entries);
    }
}
