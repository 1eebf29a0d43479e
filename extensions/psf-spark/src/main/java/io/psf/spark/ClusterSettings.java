package io.psf.spark;

import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkFiles;

/**
 * The settings with which a process of the application takes part in the cluster: a map of texts, which Spark can send.
 *
 * @param texts by name; the names of secrets contain {@code secret}, so that Spark redacts them in its pages and logs
 */
record ClusterSettings(Map<String, String> texts) {
    static final String APPLICATION = "application";
    static final String HOST = "host";
    static final String PORT = "port";
    static final String SECRET = "secret";
    static final String SERVERS = "servers";
    static final String CHECKPOINTS = "checkpoints";
    static final String MEMORY = "memory";
    static final String MAPPED = "mapped";
    static final String DEADLINE = "deadline";
    static final String CERTIFICATE = "certificate";
    static final String KEY = "key";
    static final String AUTHORITY = "authority";

    /** All names. */
    static final List<String> NAMES = List.of(
            APPLICATION,
            HOST,
            PORT,
            SECRET,
            SERVERS,
            CHECKPOINTS,
            MEMORY,
            MAPPED,
            DEADLINE,
            CERTIFICATE,
            KEY,
            AUTHORITY);

    /** The prefix of the names as local properties of a job. */
    static final String PROPERTY = "spark.psf.internal.";

    /** The plugin that makes the settings in the driver, for messages. */
    static final String PLUGIN = "io.psf.spark.PsfPlugin";

    static ClusterSettings of(Map<String, String> texts) {
        return new ClusterSettings(Map.copyOf(new HashMap<>(texts)));
    }

    private String text(String name) {
        String text = texts.get(name);
        if (text == null) {
            throw new IllegalStateException("setting " + name + ": missing (expected: " + PLUGIN
                    + " in the driver, of the same version of psf)");
        }
        return text;
    }

    private Optional<String> find(String name) {
        return Optional.ofNullable(texts.get(name)).filter(text -> !text.isEmpty());
    }

    /** Returns what no other application has. Spark's ids of two that start in one second may be equal. */
    String application() {
        return text(APPLICATION);
    }

    private String host() {
        return text(HOST);
    }

    int port() {
        return Integer.parseInt(text(PORT));
    }

    /** Returns the number of servers that one executor offers to run. */
    int serversPerExecutor() {
        return Integer.parseInt(text(SERVERS));
    }

    /** Returns the files of TLS on this machine; empty for connections without it. */
    Optional<Tls> tls() {
        return find(CERTIFICATE).map(name -> new Tls(file(name), file(text(KEY)), file(text(AUTHORITY))));
    }

    /** Returns a file of this machine, or a file that the application has sent with {@code --files}. */
    private static Path file(String name) {
        Path file = Path.of(name);
        return file.isAbsolute() || Files.exists(file) ? file : Path.of(SparkFiles.get(name));
    }

    WorkerConfig client() {
        WorkerConfig config = WorkerConfig.of(host(), port()).withDeadline(Duration.parse(text(DEADLINE)));
        config = tls().map(config::withTls).orElse(config);
        return find(SECRET).map(config::withSecret).orElse(config);
    }

    /**
     * Returns the configuration of a server.
     *
     * @param host the executor's host, as Spark names it to its other processes
     */
    ServerConfig server(String host) {
        ServerConfig config = ServerConfig.of(host(), port()).listen(host, 0);
        config = find(SECRET).map(config::withSecret).orElse(config);
        config = tls().map(config::withTls).orElse(config);
        config = find(CHECKPOINTS)
                .map(CheckpointPlace::open)
                .map(config::withCheckpoints)
                .orElse(config);
        config = find(MAPPED).map(Path::of).map(config::withMapped).orElse(config);
        return find(MEMORY).map(Long::parseLong).map(config::withTensorMemory).orElse(config);
    }
}
