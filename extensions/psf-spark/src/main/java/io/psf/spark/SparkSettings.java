package io.psf.spark;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.spark.SparkConf;

/**
 * The settings {@code spark.psf.*} of an application, and the settings of Spark that count for psf.
 *
 * @param conf the application's configuration
 */
record SparkSettings(SparkConf conf) {
    static final String SERVERS = "spark.psf.servers";
    static final String DYNAMIC = "spark.dynamicAllocation.enabled";
    private static final String TLS_PREFIX = "spark.psf.tls.";
    private static final List<String> TLS =
            List.of(ClusterSettings.CERTIFICATE, ClusterSettings.KEY, ClusterSettings.AUTHORITY);
    private static final String LEAST = "spark.dynamicAllocation.minExecutors";

    /** Returns the address of a cluster that is there already; empty if the application is one itself. */
    Optional<HostPort> scheduler() {
        return find("spark.psf.scheduler").map(text -> HostPort.parse("spark.psf.scheduler", text));
    }

    Optional<String> secret() {
        return find("spark.psf.secret");
    }

    /**
     * Returns the files of TLS, by their names in {@link ClusterSettings}; empty for connections without it.
     *
     * @throws IllegalArgumentException if some of them are set, and others are not
     */
    Map<String, String> tls() {
        Map<String, String> files = new HashMap<>();
        for (String name : TLS) {
            find(TLS_PREFIX + name).ifPresent(file -> files.put(name, file));
        }
        if (!files.isEmpty() && files.size() < TLS.size()) {
            throw new IllegalArgumentException(
                    TLS_PREFIX + "*: only " + String.join(", ", new TreeSet<>(files.keySet())) + " (expected: "
                            + String.join(", ", TLS) + ", or none of them)");
        }
        return files;
    }

    /** Returns the number of servers: by default one for each executor, or one in local mode. */
    int servers(boolean isLocal) {
        int servers = conf.getInt(SERVERS, isLocal ? 1 : Math.max(1, conf.getInt("spark.executor.instances", 1)));
        if (servers < 1) {
            throw new IllegalArgumentException(SERVERS + ": " + servers + " (expected: >= 1)");
        }
        return servers;
    }

    /**
     * Checks that dynamic allocation leaves an executor for each server.
     *
     * @throws IllegalArgumentException if it may leave fewer
     */
    void requireExecutorsFor(int servers) {
        int least = conf.getInt(LEAST, 0);
        if (conf.getBoolean(DYNAMIC, false) && least < servers) {
            throw new IllegalArgumentException(LEAST + ": " + least + " (expected: at least " + servers
                    + ", the number of servers, each of which needs an executor)");
        }
    }

    /** Returns the host that the driver tells the executors. */
    String driverHost() {
        return conf.get("spark.driver.host");
    }

    String bindAddress() {
        return conf.get("spark.driver.bindAddress", driverHost());
    }

    /** Returns the scheduler's port; 0 for a port that the system chooses. */
    int port() {
        return conf.getInt("spark.psf.port", 0);
    }

    /** Returns the directory of the servers' checkpoints, the same for all executors; empty for none. */
    String checkpoints() {
        return conf.get("spark.psf.checkpoints", "");
    }

    /** Returns the directory of tensors in files; empty for tensors in memory. */
    String mapped() {
        return conf.get("spark.psf.mapped", "");
    }

    /** Returns the bytes of tensors that one server may hold; empty for no limit. */
    String memory() {
        return find("spark.psf.memory")
                .map(text -> "" + conf.getSizeAsBytes("spark.psf.memory"))
                .orElse("");
    }

    Duration deadline() {
        return seconds("spark.psf.deadline", "5m");
    }

    /** Returns how long calls wait for a server in the place of one whose executor is lost. */
    Duration serverReturn() {
        return seconds("spark.psf.serverReturn", "5m");
    }

    /** Returns the silence after which a node is lost: as long as Spark waits for an executor, unless it is set. */
    Duration heartbeat() {
        return seconds("spark.psf.heartbeat", conf.getTimeAsSeconds("spark.network.timeout", "120s") + "s");
    }

    Duration joinTimeout() {
        return seconds("spark.psf.joinTimeout", "5m");
    }

    private Duration seconds(String name, String usual) {
        return Duration.ofMillis(conf.getTimeAsMs(name, usual));
    }

    private Optional<String> find(String name) {
        return Optional.ofNullable(conf.get(name, "")).filter(text -> !text.isEmpty());
    }
}
