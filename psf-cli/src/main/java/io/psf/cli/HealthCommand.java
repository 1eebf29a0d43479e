package io.psf.cli;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.ClusterSummary;
import io.psf.runtime.Guest;
import io.psf.runtime.Settings;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says whether a cluster, or one node of it, works. */
@Command(
        name = "health",
        description = {
            "Says whether a cluster, or one node of it, works: prints one line. The exit code is 0 if it does, else 1.",
            "A cluster works if it is complete, none of its servers is missing, and each of them answers.",
            "A node works if it is live and ready. It has an address for that with PSF_HEALTH.",
            "Without an option, PSF_HEALTH says the node, else PSF_SCHEDULER the cluster. A cluster with a secret requires"
                    + " it here, too (PSF_SECRET)."
        },
        footer = {"%nExample:", "  psf health --scheduler 127.0.0.1:4080", "  psf health --node 127.0.0.1:4090"},
        mixinStandardHelpOptions = true)
final class HealthCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int LONGEST_LINE = 4 << 10;

    @Mixin
    private SchedulerOption scheduler = new SchedulerOption();

    @Option(names = "--node", paramLabel = "HOST:PORT", description = "where a node answers probes (PSF_HEALTH)")
    private @Nullable String node;

    @Spec
    private @Nullable CommandSpec spec;

    /** The line that the command prints, and true if its exit code is 0. */
    private record Finding(boolean isGood, String line) {}

    @Override
    public Integer call() {
        if (node != null && scheduler.isGiven()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "--node, --scheduler: both are given (expected: one of them)");
        }
        InetSocketAddress address = scheduler.isGiven() ? null : address(System.getenv());
        Finding found = address != null ? ofNode(address) : ofCluster(scheduler.config(System.getenv(), PATIENCE));
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        out.println((found.isGood() ? "healthy: " : "unhealthy: ") + found.line());
        out.flush();
        return found.isGood() ? 0 : 1;
    }

    private @Nullable InetSocketAddress address(Map<String, String> environment) {
        Settings settings = Settings.of(environment);
        return (node == null ? settings : settings.with(Map.of("PSF_HEALTH", node))).health();
    }

    private static Finding ofCluster(WorkerConfig config) {
        try (Guest guest = Guest.visit(config)) {
            ClusterSummary cluster = guest.cluster();
            String nodes = NodeCounts.of(cluster.members());
            return cluster.missingServers().isEmpty()
                    ? new Finding(true, nodes)
                    : new Finding(
                            false,
                            nodes + " (expected: " + cluster.plan().servers() + " servers; " + missing(cluster) + ")");
        } catch (PsException e) {
            return new Finding(false, String.valueOf(e.getMessage()));
        }
    }

    /** Names the servers that are missing, and why they are: {@code server 1: awaited, its connection ended}. */
    private static String missing(ClusterSummary cluster) {
        Map<Integer, String> lost = cluster.lost().stream()
                .filter(each -> each.member().role() == Role.SERVER)
                .collect(Collectors.toMap(
                        each -> each.member().rank(),
                        each -> (each.awaited() ? "awaited, " : "lost, ") + each.reason()));
        return cluster.missingServers().stream()
                .map(rank -> "server " + rank + ": " + lost.getOrDefault(rank, "it has left"))
                .collect(Collectors.joining("; "));
    }

    private static Finding ofNode(InetSocketAddress address) {
        Finding live = ask(address, "/live");
        return live.isGood() ? ask(address, "/ready") : live;
    }

    private static Finding ask(InetSocketAddress address, String path) {
        String at = Member.address(host(address.getHostString()), address.getPort());
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://" + at + path).toURL().openConnection();
            connection.setConnectTimeout((int) PATIENCE.toMillis());
            connection.setReadTimeout((int) PATIENCE.toMillis());
            int status = connection.getResponseCode();
            try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String line = body == null ? "" : new String(body.readNBytes(LONGEST_LINE), StandardCharsets.UTF_8);
                boolean isKnown = status == 200 || status == 503;
                return new Finding(
                        status == 200,
                        isKnown
                                ? line.strip()
                                : at + path + ": status " + status + " (expected: the status of a psf node)");
            }
        } catch (IOException | IllegalArgumentException e) {
            return new Finding(false, "node at " + at + ": " + e.getMessage());
        }
    }

    /** Returns the host to connect to: loopback for a node that listens on all addresses of this machine. */
    private static String host(String listening) {
        boolean isNumber = listening.indexOf(':') >= 0 || listening.matches("[0-9.]+");
        try {
            boolean isAny = isNumber && InetAddress.getAllByName(listening)[0].isAnyLocalAddress();
            return isAny ? listening.indexOf(':') >= 0 ? "::1" : "127.0.0.1" : listening;
        } catch (IOException e) {
            return listening; // connecting says so
        }
    }
}
