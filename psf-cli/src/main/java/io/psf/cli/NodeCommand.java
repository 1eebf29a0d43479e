package io.psf.cli;

import io.psf.api.NodeHealth;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.dashboard.Dashboard;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.WorkerConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a scheduler or a server in this JVM. Blocks until the job ends. */
@Command(
        name = "node",
        description = {
            "Runs a scheduler or a server until the job ends.",
            "A setting without an option is taken from the environment, else from the file."
        },
        footer = {
            "%nThe environment, and the file with the same keys:",
            "  PSF_ROLE             scheduler, server or worker",
            "  PSF_SCHEDULER        host:port of the scheduler, or [ipv6]:port",
            "  PSF_SERVERS          the number of servers of the cluster",
            "  PSF_WORKERS          the number of workers with which a job begins, such as 2, or 2+ if more may join",
            "  PSF_LISTEN           host:port for a server to listen on; default: 127.0.0.1 and any port",
            "  PSF_ADVERTISE        host or host:port of a server for the other nodes; default: where it listens",
            "  PSF_RANK             the requested rank; default: any",
            "  PSF_CLUSTER          the name of the cluster; nodes with another one are refused; default: any",
            "  PSF_NODE             the name of a worker, which takes the place of one of that name; default: none",
            "  PSF_SECRET           a secret of at least 16 characters, the same for all nodes; default: none",
            "  PSF_PERMISSIONS      a YAML file that says what nodes may call, on the scheduler; default: everything",
            "  PSF_TLS_CERTIFICATE  for TLS, with the next two: a PEM file with the certificate of this node; default:"
                    + " no TLS",
            "  PSF_TLS_KEY          a PEM file with the private key of this node",
            "  PSF_TLS_AUTHORITY    a PEM file with the certificates of the authorities of all nodes",
            "  PSF_INSECURE         true: a scheduler or server may listen beyond 127.0.0.1 without a secret and TLS",
            "  PSF_MAPPED           a directory for shards in mapped files; default: native memory",
            "  PSF_CHECKPOINTS      a directory for checkpoints, the same for all servers, or a place such as",
            "                       hdfs://host/models with psf-hadoop; default: none",
            "  PSF_LANES            threads that run handlers; default: one per processor",
            "  PSF_MEMORY           the limit in bytes of a server's requests and answers, such as 512m or 2g;",
            "                       default: five eighths of the JVM's direct memory, or its heap if that is less",
            "  PSF_TENSOR_MEMORY    the limit in bytes of a server's tensors in native memory, such as 512m or 64g;",
            "                       default: seven eighths of the memory of the machine or container",
            "  PSF_DEVICE           the numbers of the devices that a server uses, such as 0 or 0,1; default: none",
            "  PSF_TRANSPORT        auto (the default): shared memory on one machine, else TCP; or shm, tcp, netty",
            "  PSF_CHECKSUM         on for a checksum of each frame over TCP; default: off",
            "  PSF_SPIN_MICROS      how long a thread spins before it blocks; default: 50; 0 for no spinning",
            "  PSF_DEADLINE         the time limit of a worker's call; default: 60s",
            "  PSF_JOIN_TIMEOUT     the time limit for the cluster to form; default: 2m",
            "  PSF_HEARTBEAT_LIMIT  how long a node may stay silent; default: 10s (set on the scheduler)",
            "  PSF_RECONNECT_LIMIT  how long a worker reconnects to a server without progress; default: 30s",
            "  PSF_SERVER_RETURN    how long calls wait for a server in the place of a lost one, on the scheduler;"
                    + " default: 0",
            "  PSF_WORKER_RETURN    the same for a lost worker, on the scheduler; default: 0",
            "  PSF_SCHEDULER_RETURN how long the nodes look for a scheduler that is gone, with a journal; default: the"
                    + " limit of",
            "                       heartbeats",
            "  PSF_JOURNAL          a directory from which a scheduler that is started again goes on; default: none",
            "  PSF_HEALTH           host:port for probes of this node: /live and /ready over HTTP; default: none",
            "  PSF_METRICS          host:port for Prometheus, /metrics over HTTP, or a port of 127.0.0.1; default: none",
            "  PSF_DASHBOARD        host:port, or a port of 127.0.0.1, for a page in the browser that shows the cluster, on the",
            "                       scheduler; default: none",
            "  PSF_PROGRESS_LIMIT   how long a lane with waiting work may begin none before its node is not live;",
            "                       default: 1m",
            "  PSF_DRAIN            the time limit for a node that is told to end (SIGTERM); default: 30s",
            "  PSF_LEAVE_AT_EXIT    on: a worker leaves the cluster when its process ends; default: off",
            "  PSF_LIFETIME         job or service, on the scheduler; default: job",
            "  PSF_VECTORS          on or off, in the environment alone: vectors for the optimizers, on servers that psf",
            "                       starts; default: on, but for JDK 18 to 21",
            "  PSF_CONFIG           a YAML file with these keys (PSF_SERVERS: 2)",
            "The names of ps-lite, MXNet and Hetu (DMLC_ROLE: scheduler, server, worker; DMLC_PS_ROOT_URI ...) and of"
                    + " MindSpore (MS_ROLE: MS_SCHED, MS_PSERVER, MS_WORKER; MS_SCHED_HOST ...) are accepted too."
        },
        mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer> {
    @Option(names = "--config", paramLabel = "FILE", description = "a YAML file with settings (PSF_CONFIG)")
    private @Nullable String config;

    @Option(names = "--role", paramLabel = "ROLE", description = "scheduler or server (PSF_ROLE)")
    private @Nullable String role;

    @Option(
            names = "--scheduler",
            paramLabel = "HOST:PORT",
            description = "where the scheduler listens (PSF_SCHEDULER)")
    private @Nullable String scheduler;

    @Option(names = "--servers", paramLabel = "N", description = "how many servers the cluster has (PSF_SERVERS)")
    private @Nullable String servers;

    @Option(names = "--workers", paramLabel = "N", description = "how many workers the cluster has (PSF_WORKERS)")
    private @Nullable String workers;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "where a server listens; default: 127.0.0.1 and any port (PSF_LISTEN)")
    private @Nullable String listen;

    @Option(names = "--rank", paramLabel = "N", description = "the rank of a server; default: any (PSF_RANK)")
    private @Nullable String rank;

    @Option(
            names = "--device",
            paramLabel = "N,..",
            description = "the numbers of the devices that a server uses; default: none (PSF_DEVICE)")
    private @Nullable String device;

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "where your handlers are: jars and folders, separated by '${sys:path.separator}'")
    private String classPath = "";

    private final @Nullable Role fixedRole;
    /** Says how the node is. Set before probes are answered. */
    private volatile Supplier<NodeHealth> health = () -> joining("node");

    /** Creates the command of one role, or of any role if {@code fixedRole} is null. */
    NodeCommand(@Nullable Role fixedRole) {
        this.fixedRole = fixedRole;
    }

    @Override
    public Integer call() {
        Settings settings = settings(System.getenv());
        if (!classPath.isEmpty()) {
            Thread.currentThread().setContextClassLoader(ClassPathOption.loader(classPath));
        }
        LogNode.set(settings.role().label(), rank != null ? rank : System.getenv("PSF_RANK"));
        HeapWatch.start("the " + settings.role().label());
        switch (settings.role()) {
            case SCHEDULER, SERVER -> run(settings);
            case WORKER, CLIENT ->
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "PSF_ROLE: worker (expected: scheduler or server, since a worker is a program of your own:"
                                + " run that with these settings, or use psf launch -- COMMAND)");
        }
        return 0;
    }

    private static NodeHealth joining(String node) {
        return new NodeHealth(true, node + ": joins the cluster", false, node + ": has not joined the cluster yet");
    }

    private void run(Settings settings) {
        TermSignal term = TermSignal.handle(settings.drain());
        NodeHealth joining = joining(settings.role().label());
        health = () -> joining;
        try (NodePages pages = new NodePages(settings, () -> health.get())) {
            if (settings.role() == Role.SCHEDULER) {
                SchedulerConfig config = settings.scheduler();
                try (Scheduler node = Scheduler.start(config)) {
                    health = () -> node.health(settings.progressLimit());
                    pages.show(node::listen);
                    term.whenTold(limit -> node.handOver());
                    awaitTermination(node, config, settings.dashboard());
                }
            } else {
                try (Server node = Server.start(settings.server(), now -> health = () -> now)) {
                    LogNode.set(settings.role().label(), Integer.toString(node.rank()));
                    health = () -> node.health(settings.progressLimit());
                    pages.show(node::listen);
                    term.whenTold(node::drain);
                    node.awaitTermination();
                }
            }
        }
    }

    /** Waits for the end of a scheduler of this JVM, and serves its dashboard meanwhile if it has an address. */
    private static void awaitTermination(Scheduler node, SchedulerConfig config, @Nullable InetSocketAddress page) {
        if (page == null) {
            node.awaitTermination();
            return;
        }
        boolean isAny =
                new InetSocketAddress(config.host(), node.port()).getAddress().isAnyLocalAddress();
        String host = isAny ? InetAddress.getLoopbackAddress().getHostAddress() : config.host();
        Dashboard dashboard =
                Dashboard.start(page, WorkerConfig.of(host, node.port()).withSecurity(config.security()));
        try {
            node.awaitTermination();
        } finally {
            dashboard.close();
        }
    }

    Settings settings(Map<String, String> environment) {
        Map<String, String> outer = new HashMap<>(environment);
        put(outer, "PSF_CONFIG", config);
        Map<String, String> options = new LinkedHashMap<>();
        put(options, "PSF_ROLE", role());
        put(options, "PSF_SCHEDULER", scheduler);
        put(options, "PSF_SERVERS", servers);
        put(options, "PSF_WORKERS", workers);
        put(options, "PSF_LISTEN", listen);
        put(options, "PSF_RANK", rank);
        put(options, "PSF_DEVICE", device);
        return Settings.of(outer).with(options);
    }

    private @Nullable String role() {
        if (fixedRole == null) {
            return role;
        }
        if (role != null && !role.equals(fixedRole.label())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--role: %s (expected: %s, or psf node)".formatted(role, fixedRole.label()));
        }
        return fixedRole.label();
    }

    private static void put(Map<String, String> settings, String name, @Nullable String value) {
        if (value != null) {
            settings.put(name, value);
        }
    }
}
