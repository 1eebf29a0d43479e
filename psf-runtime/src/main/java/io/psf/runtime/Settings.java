package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.spi.transport.TlsEngines;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node, from the environment or from one YAML file with the same keys, converted to the records that
 * start the node. psf's names are {@code PSF_*}. The names of ps-lite and MXNet ({@code DMLC_*}) and of MindSpore
 * ({@code MS_*}) are accepted as well. {@code PSF_CONFIG} in the environment names the file. The environment takes
 * precedence over the file.
 *
 * <p>A setting that is malformed, missing, or given twice with different values causes a {@link PsException} with the
 * code CONFIGURATION that names the variables. Immutable.
 */
public final class Settings {
    private final List<SettingsSource> sources;

    private Settings(List<SettingsSource> sources) {
        this.sources = List.copyOf(sources);
        Role role = find(SettingsKey.ROLE, null);
        SettingsKey.ALL.forEach(key -> find(key, role));
    }

    /** Returns the settings in this process's environment, and in the file that its {@code PSF_CONFIG} names. */
    public static Settings fromEnvironment() {
        return of(System.getenv());
    }

    /** Returns the settings in an environment, and in the file that its {@code PSF_CONFIG} names. */
    public static Settings of(Map<String, String> environment) {
        List<SettingsSource> sources = new ArrayList<>();
        SettingsSource variables = SettingsSource.ofEnvironment("the environment", environment);
        sources.add(variables);
        String file = variables.get(SettingsNames.CONFIG);
        if (file != null) {
            try {
                sources.add(SettingsSource.ofYaml(Path.of(file)));
            } catch (InvalidPathException e) {
                throw SettingsErrors.invalid("%s: %s (expected: a YAML file)".formatted(SettingsNames.CONFIG, file), e);
            }
        }
        return new Settings(sources);
    }

    /** Returns the settings in a YAML file, without the environment. */
    public static Settings fromYaml(Path file) {
        return new Settings(List.of(SettingsSource.ofYaml(file)));
    }

    /** Returns a copy with settings that take precedence over the existing ones, such as command-line options. */
    public Settings with(Map<String, String> overriding) {
        List<SettingsSource> more = new ArrayList<>();
        more.add(SettingsSource.ofEnvironment("the options", overriding));
        more.addAll(sources);
        return new Settings(more);
    }

    /**
     * Returns all variables that give the same setting as a {@code PSF_*} name, itself included. A process that starts
     * a node uses them to withhold its own settings from that node.
     */
    public static List<String> names(String name) {
        List<String> names = new ArrayList<>();
        for (SettingsKey<?> key : SettingsKey.ALL) {
            if (key.name().equals(name)) {
                names.addAll(key.names());
            }
        }
        if (names.contains(SettingsNames.PORT)) {
            names.add(SettingsNames.POST);
        }
        return List.copyOf(names);
    }

    /** Returns the role of this node. */
    public Role role() {
        return require(SettingsKey.ROLE, null);
    }

    /** Returns the scheduler's configuration: it listens on the address that the other nodes connect to. */
    public SchedulerConfig scheduler() {
        checkRole(Role.SCHEDULER);
        SettingsAddress address = require(SettingsKey.SCHEDULER, Role.SCHEDULER);
        int servers = require(SettingsKey.SERVERS, Role.SCHEDULER);
        SettingsWorkers workers = require(SettingsKey.WORKERS, Role.SCHEDULER);
        SchedulerConfig usual = SchedulerConfig.of(servers, workers.count());
        SchedulerConfig.Timeouts timeouts = new SchedulerConfig.Timeouts(
                orElse(
                        SettingsKey.JOIN_TIMEOUT,
                        Role.SCHEDULER,
                        usual.timeouts().join()),
                orElse(
                        SettingsKey.HEARTBEAT_LIMIT,
                        Role.SCHEDULER,
                        usual.timeouts().heartbeat()));
        SchedulerConfig.Life life = new SchedulerConfig.Life(
                orElse(SettingsKey.LIFETIME, Role.SCHEDULER, usual.life().service()),
                orElse(SettingsKey.SERVER_RETURN, Role.SCHEDULER, usual.life().serverReturn()),
                orElse(SettingsKey.WORKER_RETURN, Role.SCHEDULER, usual.life().workerReturn()),
                schedulerReturn(),
                find(SettingsKey.JOURNAL, Role.SCHEDULER));
        return new SchedulerConfig(
                address.host(),
                address.port(),
                new SchedulerConfig.Size(servers, workers.count(), workers.more()),
                life,
                timeouts,
                security(Role.SCHEDULER));
    }

    private Duration schedulerReturn() {
        Duration limit = orElse(SettingsKey.SCHEDULER_RETURN, Role.SCHEDULER, Duration.ZERO);
        if (!limit.isZero() && find(SettingsKey.JOURNAL, Role.SCHEDULER) == null) {
            throw SettingsErrors.invalid(
                    "%s: %s ms, without %s (expected: both, since a scheduler goes on from its journal alone)"
                            .formatted(
                                    SettingsKey.SCHEDULER_RETURN.name(), limit.toMillis(), SettingsKey.JOURNAL.name()));
        }
        return limit;
    }

    /** Returns the server's configuration. Opens the place of checkpoints. */
    public ServerConfig server() {
        checkRole(Role.SERVER);
        JoinConfig join = join(Role.SERVER);
        ServerConfig usual = ServerConfig.of(join.schedulerHost(), join.schedulerPort());
        String place = find(SettingsKey.CHECKPOINTS, Role.SERVER);
        SettingsAddress listen =
                orElse(SettingsKey.LISTEN, Role.SERVER, new SettingsAddress(usual.host(), usual.port()));
        return new ServerConfig(
                join,
                new ServerConfig.Address(listen.host(), listen.port()),
                advertised(),
                orElse(SettingsKey.LANES, Role.SERVER, usual.lanes()),
                new ServerConfig.Storage(
                        find(SettingsKey.MAPPED, Role.SERVER),
                        place == null ? null : SettingsText.checkpoints(place),
                        orElse(SettingsKey.MEMORY, Role.SERVER, usual.storage().memory()),
                        orElse(
                                SettingsKey.TENSOR_MEMORY,
                                Role.SERVER,
                                usual.storage().tensorMemory()),
                        orElse(SettingsKey.DEVICE, Role.SERVER, usual.storage().devices())),
                transport(Role.SERVER, usual.transport()));
    }

    private ServerConfig.@Nullable Address advertised() {
        SettingsAddress told = find(SettingsKey.ADVERTISE, Role.SERVER);
        return told == null ? null : new ServerConfig.Address(told.host(), told.port());
    }

    /** Returns the scheduler's address, unresolved; port 0 for any; null if it is not set. */
    public @Nullable InetSocketAddress schedulerAddress() {
        return unresolved(SettingsKey.SCHEDULER);
    }

    /** Returns where a node listens for probes, unresolved; port 0 for any; null if it does not. */
    public @Nullable InetSocketAddress health() {
        return unresolved(SettingsKey.HEALTH);
    }

    /** Returns where a node listens for those that read its metrics, unresolved; null if it does not. */
    public @Nullable InetSocketAddress metrics() {
        return unresolved(SettingsKey.METRICS);
    }

    /** Returns where a scheduler serves its dashboard, unresolved; port 0 for any; null if it does not. */
    public @Nullable InetSocketAddress dashboard() {
        return unresolved(SettingsKey.DASHBOARD);
    }

    private @Nullable InetSocketAddress unresolved(SettingsKey<SettingsAddress> key) {
        SettingsAddress address = find(key, null);
        return address == null ? null : InetSocketAddress.createUnresolved(address.host(), address.port());
    }

    /** Returns how long a lane with waiting work may begin none before its node is not live; by default a minute. */
    public Duration progressLimit() {
        return orElse(SettingsKey.PROGRESS_LIMIT, null, Duration.ofMinutes(1));
    }

    /** Returns how long a node may take to end once its process is told to; by default 30 seconds. */
    public Duration drain() {
        return orElse(SettingsKey.DRAIN, null, Duration.ofSeconds(30));
    }

    /** Returns true if a cluster outlives its workers, until it is told to end; by default false. */
    public boolean isService() {
        return orElse(SettingsKey.LIFETIME, null, false);
    }

    /** Returns true if another server may take the place of a lost one; by default false. */
    public boolean awaitsServers() {
        return !orElse(SettingsKey.SERVER_RETURN, null, Duration.ZERO).isZero();
    }

    /** Returns the worker's configuration. A worker does not listen. */
    public WorkerConfig worker() {
        checkRole(Role.WORKER);
        JoinConfig join = join(Role.WORKER);
        WorkerConfig usual = WorkerConfig.of(join.schedulerHost(), join.schedulerPort());
        return new WorkerConfig(
                join,
                orElse(SettingsKey.DEADLINE, Role.WORKER, usual.deadline()),
                orElse(SettingsKey.RECONNECT_LIMIT, Role.WORKER, usual.reconnectLimit()),
                orElse(SettingsKey.LEAVE_AT_EXIT, Role.WORKER, usual.leaveAtExit()),
                transport(Role.WORKER, usual.transport()));
    }

    private JoinConfig join(Role role) {
        SettingsAddress scheduler = schedulerToConnectTo(role);
        JoinConfig usual = JoinConfig.of(scheduler.host(), scheduler.port());
        return new JoinConfig(
                scheduler.host(),
                scheduler.port(),
                orElse(SettingsKey.RANK, role, usual.rank()),
                orElse(SettingsKey.NODE, role, ""),
                orElse(SettingsKey.JOIN_TIMEOUT, role, usual.timeout()),
                security(role));
    }

    private Security security(Role role) {
        return new Security(
                find(SettingsKey.SECRET, role),
                tls(role),
                role == Role.SCHEDULER ? find(SettingsKey.PERMISSIONS, role) : null,
                orElse(SettingsKey.INSECURE, role, false),
                orElse(SettingsKey.CLUSTER, role, ""));
    }

    /** Returns the files of TLS; null if none is set. */
    private @Nullable Tls tls(Role role) {
        List<SettingsKey<Path>> keys =
                List.of(SettingsKey.TLS_CERTIFICATE, SettingsKey.TLS_KEY, SettingsKey.TLS_AUTHORITY);
        List<String> missing = keys.stream()
                .filter(key -> find(key, role) == null)
                .map(SettingsKey::name)
                .toList();
        if (missing.size() == keys.size()) {
            return null;
        }
        if (!missing.isEmpty()) {
            throw SettingsErrors.invalid("%s: not set (expected: all of %s, or none)"
                    .formatted(String.join(", ", missing), TlsEngines.SETTINGS));
        }
        return new Tls(
                require(SettingsKey.TLS_CERTIFICATE, role),
                require(SettingsKey.TLS_KEY, role),
                require(SettingsKey.TLS_AUTHORITY, role));
    }

    private TransportConfig transport(Role role, TransportConfig usual) {
        return new TransportConfig(
                orElse(SettingsKey.TRANSPORT, role, usual.kind()),
                orElse(SettingsKey.SPIN, role, usual.spin()),
                orElse(SettingsKey.CHECKSUM, role, usual.checksum()));
    }

    private void checkRole(Role asked) {
        Role role = find(SettingsKey.ROLE, null);
        if (role != null && role != asked) {
            throw SettingsErrors.invalid("%s: %s (expected: %s, since that is what is being started)"
                    .formatted(SettingsKey.ROLE.name(), role.label(), asked.label()));
        }
    }

    private SettingsAddress schedulerToConnectTo(Role role) {
        SettingsAddress address = require(SettingsKey.SCHEDULER, role);
        if (address.port() == 0) {
            throw SettingsErrors.invalid("%s: %s (expected: the port that the scheduler listens on, 1 to 65535)"
                    .formatted(SettingsKey.SCHEDULER.name(), address));
        }
        return address;
    }

    private <T> T require(SettingsKey<T> key, @Nullable Role role) {
        T value = find(key, role);
        if (value == null) {
            throw SettingsErrors.invalid("%s: not set (%s)".formatted(key.name(), key.expectedAndNames()));
        }
        return value;
    }

    private <T> T orElse(SettingsKey<T> key, @Nullable Role role, T other) {
        T value = find(key, role);
        return value == null ? other : value;
    }

    private <T> @Nullable T find(SettingsKey<T> key, @Nullable Role role) {
        for (SettingsSource source : sources) {
            T value = source.find(key, role);
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
