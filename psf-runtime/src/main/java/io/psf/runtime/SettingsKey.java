package io.psf.runtime;

import io.psf.api.Role;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.spi.store.MemoryLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its meaning, its parser, and all the ways to give it, psf's own first.
 *
 * @param expected the meaning and the valid values, for messages
 * @param reader parses the text; returns null if the text is malformed
 * @param spellings the ways to give the setting
 */
record SettingsKey<T>(String expected, Reader<T> reader, List<SettingsSpelling> spellings) {

    /** Parses a value. Returns null if the text is malformed. */
    @FunctionalInterface
    interface Reader<T> {
        @Nullable
        T read(String text);
    }

    static final SettingsKey<Role> ROLE = new SettingsKey<>(
            "scheduler, server or worker",
            SettingsText::role,
            List.of(SettingsSpelling.of("PSF_ROLE"), SettingsSpelling.of("DMLC_ROLE"), SettingsSpelling.of("MS_ROLE")));

    static final SettingsKey<SettingsAddress> SCHEDULER = new SettingsKey<>(
            "host:port of the scheduler",
            SettingsAddress::parse,
            List.of(
                    SettingsSpelling.of("PSF_SCHEDULER"),
                    SettingsSpelling.pair("DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT"),
                    SettingsSpelling.pair("MS_SCHED_HOST", "MS_SCHED_PORT")));

    static final SettingsKey<Integer> SERVERS = new SettingsKey<>(
            "how many servers make up the cluster, a whole number from 1",
            text -> SettingsText.wholeNumber(text, 1, Integer.MAX_VALUE),
            List.of(
                    SettingsSpelling.of("PSF_SERVERS"),
                    SettingsSpelling.of("DMLC_NUM_SERVER"),
                    SettingsSpelling.of("MS_SERVER_NUM")));

    static final SettingsKey<SettingsWorkers> WORKERS = new SettingsKey<>(
            "how many workers make up the cluster, a whole number from 1, and a plus if more may join, such as 2+",
            SettingsText::workers,
            List.of(
                    SettingsSpelling.of("PSF_WORKERS"),
                    SettingsSpelling.of("DMLC_NUM_WORKER"),
                    SettingsSpelling.of("MS_WORKER_NUM")));

    static final SettingsKey<Boolean> LIFETIME = new SettingsKey<>(
            "how long the cluster lives: job, until its last worker leaves, or service, until it is told to end",
            SettingsText::isService,
            List.of(SettingsSpelling.of("PSF_LIFETIME")));

    static final SettingsKey<SettingsAddress> LISTEN = new SettingsKey<>(
            "host:port for a server to listen on, port 0 for any",
            SettingsAddress::parse,
            List.of(
                    SettingsSpelling.of("PSF_LISTEN"),
                    SettingsSpelling.listen("DMLC_PS_SERVER_URI", "DMLC_PS_SERVER_PORT", Role.SERVER),
                    SettingsSpelling.listen("DMLC_PS_WORKER_URI", "DMLC_PS_WORKER_PORT", Role.WORKER)));

    static final SettingsKey<SettingsAddress> ADVERTISE = new SettingsKey<>(
            "host or host:port of a server for the other nodes to connect to, without a port the one it listens on",
            SettingsAddress::parseWithoutPort,
            List.of(SettingsSpelling.of("PSF_ADVERTISE")));

    static final SettingsKey<SettingsAddress> HEALTH = new SettingsKey<>(
            "host:port for the probes of a node, port 0 for any",
            SettingsAddress::parse,
            List.of(SettingsSpelling.of("PSF_HEALTH")));

    static final SettingsKey<SettingsAddress> METRICS = new SettingsKey<>(
            "host:port for the metrics of a node, or a port of 127.0.0.1, 0 for any",
            SettingsAddress::parseWithoutHost,
            List.of(SettingsSpelling.of("PSF_METRICS")));

    static final SettingsKey<SettingsAddress> DASHBOARD = new SettingsKey<>(
            "host:port where a scheduler serves its dashboard, or a port of 127.0.0.1, 0 for any",
            SettingsAddress::parseWithoutHost,
            List.of(SettingsSpelling.of("PSF_DASHBOARD")));

    static final SettingsKey<Integer> RANK = new SettingsKey<>(
            "the rank of this server or worker, a whole number from 0, or -1 for any",
            text -> SettingsText.wholeNumber(text, -1, Integer.MAX_VALUE),
            List.of(
                    SettingsSpelling.of("PSF_RANK"),
                    SettingsSpelling.of("SERVER_ID", Role.SERVER),
                    SettingsSpelling.of("WORKER_ID", Role.WORKER)));

    static final SettingsKey<String> CLUSTER =
            name("the name of the cluster, which refuses nodes that expect another one", "PSF_CLUSTER");

    static final SettingsKey<String> NODE =
            name("the name of this worker, which takes the place of another one of that name", "PSF_NODE");

    static final SettingsKey<Path> MAPPED = new SettingsKey<>(
            "a directory for the files that shards are mapped to",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_MAPPED")));

    static final SettingsKey<String> CHECKPOINTS = new SettingsKey<>(
            "a directory for checkpoints, or a place such as hdfs://host/models whose store is on the class path, the"
                    + " same for all servers",
            text -> text, // opened by servers alone: other nodes need no store
            List.of(SettingsSpelling.of("PSF_CHECKPOINTS")));

    static final SettingsKey<Integer> LANES = new SettingsKey<>(
            "how many threads of a server run handlers, a whole number from 1",
            text -> SettingsText.wholeNumber(text, 1, Integer.MAX_VALUE),
            List.of(SettingsSpelling.of("PSF_LANES")));

    static final SettingsKey<Long> MEMORY = new SettingsKey<>(
            "the most bytes of requests and answers that a server holds, such as 512m or 2g, at least 1m",
            SettingsText::bytes,
            List.of(SettingsSpelling.of("PSF_MEMORY")));

    static final SettingsKey<Long> TENSOR_MEMORY = new SettingsKey<>(
            "the most bytes of tensors that a server has in native memory, such as 512m or 64g, at least 1m",
            SettingsText::bytes,
            List.of(SettingsSpelling.of(MemoryLimit.SETTING)));

    static final SettingsKey<List<Integer>> DEVICE = new SettingsKey<>(
            "the numbers of the devices that a server uses, such as 0 or 0,1, each a whole number from 0, and once",
            SettingsText::devices,
            List.of(SettingsSpelling.of("PSF_DEVICE")));

    static final SettingsKey<String> SECRET = new SettingsKey<>(
            "the secret of the cluster, the same for all nodes, at least " + Checks.SECRET_LENGTH + " characters",
            text -> text.length() < Checks.SECRET_LENGTH ? null : text,
            List.of(SettingsSpelling.of("PSF_SECRET")));

    static final SettingsKey<Boolean> INSECURE = new SettingsKey<>(
            "whether a scheduler or server may listen beyond loopback without a secret and TLS, true or false",
            SettingsText::onOrOff,
            List.of(SettingsSpelling.of("PSF_INSECURE")));

    static final SettingsKey<Path> TLS_CERTIFICATE = new SettingsKey<>(
            "a PEM file with the certificate of this node, and those between it and its authority",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_TLS_CERTIFICATE")));

    static final SettingsKey<Path> TLS_KEY = new SettingsKey<>(
            "a PEM file with the private key of the node's certificate, as unencrypted PKCS#8",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_TLS_KEY")));

    static final SettingsKey<Path> TLS_AUTHORITY = new SettingsKey<>(
            "a PEM file with the certificates of the authorities of all nodes",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_TLS_AUTHORITY")));

    static final SettingsKey<TransportConfig.Kind> TRANSPORT = new SettingsKey<>(
            "auto, shm, tcp or netty", SettingsText::transport, List.of(SettingsSpelling.of("PSF_TRANSPORT")));

    static final SettingsKey<Duration> SPIN = new SettingsKey<>(
            "how many microseconds a waiting thread spins before it sleeps, a whole number from 0",
            SettingsText::micros,
            List.of(SettingsSpelling.of("PSF_SPIN_MICROS")));

    static final SettingsKey<Boolean> CHECKSUM = new SettingsKey<>(
            "whether frames over TCP have checksums, on or off",
            SettingsText::onOrOff,
            List.of(SettingsSpelling.of("PSF_CHECKSUM")));

    static final SettingsKey<Duration> DEADLINE = duration("how long a call may take", "PSF_DEADLINE");

    static final SettingsKey<Duration> JOIN_TIMEOUT =
            duration("how long the cluster may take to form", "PSF_JOIN_TIMEOUT");

    static final SettingsKey<Duration> HEARTBEAT_LIMIT =
            duration("how long a node may stay silent", "PSF_HEARTBEAT_LIMIT");

    static final SettingsKey<Duration> RECONNECT_LIMIT =
            duration("how long a worker tries to connect to a server again without progress", "PSF_RECONNECT_LIMIT");

    static final SettingsKey<Path> JOURNAL = new SettingsKey<>(
            "a directory for the journal, from which a scheduler that is started again goes on with its cluster",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_JOURNAL")));

    static final SettingsKey<Path> PERMISSIONS = new SettingsKey<>(
            "a YAML file that says what nodes may call",
            SettingsText::path,
            List.of(SettingsSpelling.of("PSF_PERMISSIONS")));

    static final SettingsKey<Duration> SERVER_RETURN =
            duration("how long calls wait for another server in the place of a lost one", "PSF_SERVER_RETURN");

    static final SettingsKey<Duration> WORKER_RETURN =
            duration("how long the other workers wait for one in the place of a lost one", "PSF_WORKER_RETURN");

    static final SettingsKey<Duration> SCHEDULER_RETURN = duration(
            "how long the nodes look for another scheduler in the place of a lost one", "PSF_SCHEDULER_RETURN");

    static final SettingsKey<Duration> PROGRESS_LIMIT = duration(
            "how long a lane with waiting work may begin none before its node is not live", "PSF_PROGRESS_LIMIT");

    static final SettingsKey<Duration> DRAIN =
            duration("how long a node that is told to end (SIGTERM) may take to end", "PSF_DRAIN");

    static final SettingsKey<Boolean> LEAVE_AT_EXIT = new SettingsKey<>(
            "whether a worker or client leaves the cluster when its process ends, on or off",
            SettingsText::onOrOff,
            List.of(SettingsSpelling.of("PSF_LEAVE_AT_EXIT")));

    static final List<SettingsKey<?>> ALL = List.of(
            ROLE,
            SCHEDULER,
            SERVERS,
            WORKERS,
            LIFETIME,
            LISTEN,
            ADVERTISE,
            RANK,
            CLUSTER,
            NODE,
            SECRET,
            PERMISSIONS,
            INSECURE,
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_AUTHORITY,
            MAPPED,
            CHECKPOINTS,
            LANES,
            MEMORY,
            TENSOR_MEMORY,
            DEVICE,
            TRANSPORT,
            SPIN,
            CHECKSUM,
            DEADLINE,
            JOIN_TIMEOUT,
            HEARTBEAT_LIMIT,
            RECONNECT_LIMIT,
            SERVER_RETURN,
            WORKER_RETURN,
            SCHEDULER_RETURN,
            JOURNAL,
            HEALTH,
            METRICS,
            DASHBOARD,
            PROGRESS_LIMIT,
            DRAIN,
            LEAVE_AT_EXIT);

    /** The settings whose values are addresses. */
    private static final Set<SettingsKey<?>> ADDRESSES =
            Set.of(SCHEDULER, LISTEN, ADVERTISE, HEALTH, METRICS, DASHBOARD);

    private static SettingsKey<String> name(String what, String name) {
        return new SettingsKey<>(
                what + ", " + Join.Names.EXPECTED,
                text -> Join.Names.NAME.matcher(text).matches() ? text : null,
                List.of(SettingsSpelling.of(name)));
    }

    private static SettingsKey<Duration> duration(String what, String name) {
        return new SettingsKey<>(
                what + ", such as 30s, 500ms or 2m", SettingsText::duration, List.of(SettingsSpelling.of(name)));
    }

    /** Returns psf's own name of the setting. */
    String name() {
        return spellings.get(0).names().get(0);
    }

    /** Returns the names of all variables that give the setting. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        spellings.forEach(spelling -> names.addAll(spelling.names()));
        return names;
    }

    /** Returns the expected value, and the other names that are accepted. */
    String expectedAndNames() {
        String others = String.join(
                ", ", spellings.stream().skip(1).map(SettingsSpelling::toString).toList());
        return others.isEmpty() ? "expected: " + expected : "expected: " + expected + "; also accepted: " + others;
    }

    T parse(String name, String text, String place) {
        T value = reader.read(text);
        if (value == null) {
            String shown = equals(SECRET) ? text.length() + " characters" : text;
            String hint = ADDRESSES.contains(this) ? SettingsAddress.hint(text) : "";
            throw SettingsErrors.invalid("%s: %s in %s (expected: %s)%s".formatted(name, shown, place, expected, hint));
        }
        return value;
    }
}
