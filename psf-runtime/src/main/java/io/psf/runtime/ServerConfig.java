package io.psf.runtime;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param join how the server joins the cluster
 * @param address the address to listen on; port 0 for a port that the system chooses
 * @param advertised the address that the other nodes connect to, such as the name of a service or a mapped port, which
 *     they look up at each connection; port 0 for the port that the server listens on; null for the address to listen
 *     on
 * @param lanes the number of threads that run handlers, at least 1
 * @param storage where shards and checkpoints are, the memory of requests and answers, and the devices
 * @param transport the transport of the workers' connections
 */
public record ServerConfig(
        JoinConfig join,
        Address address,
        @Nullable Address advertised,
        int lanes,
        Storage storage,
        TransportConfig transport) {
    public ServerConfig {
        if (advertised == null) {
            Checks.reachable(address.host());
        } else {
            Checks.advertised(advertised.host());
        }
        Checks.atLeast("lanes", lanes, 1);
    }

    /**
     * Where a server listens, or what the other nodes connect to.
     *
     * @param host a name or an address, an IPv6 address without its brackets
     * @param port 0 to 65535
     */
    public record Address(String host, int port) {
        public Address {
            Checks.port(port);
        }
    }

    /**
     * The directories of a server's shards and checkpoints, its memory for requests and answers, and its devices. A
     * record, as all configuration of a role: a new component breaks no caller that begins with {@link
     * ServerConfig#of}.
     *
     * @param mapped the directory of the files that shards are mapped to; null for native memory
     * @param checkpoints the place where tensors are saved, the same for all servers; null for none
     * @param memory the maximum number of bytes of requests and answers that the server holds, at least 1 MB; beyond
     *     half of it backpressure blocks workers. Tensors do not count
     * @param tensorMemory the maximum number of bytes of the tensors in native memory, at least 1 MB; 0 for seven
     *     eighths of the memory of the machine or container, of which at most as much is used as is available. Beyond
     *     it a tensor or a push is refused with {@code RESOURCE_EXHAUSTED}. Mapped shards are bounded by the disk
     * @param devices the numbers of the accelerators whose memory shards may be in, such as 0; empty for none. A
     *     factory of shards on the class path makes those shards
     */
    public record Storage(
            @Nullable Path mapped,
            @Nullable CheckpointStore checkpoints,
            long memory,
            long tensorMemory,
            List<Integer> devices) {
        public Storage {
            Checks.atLeast("memory", memory, Defaults.LEAST_MEMORY);
            if (tensorMemory != 0) {
                Checks.atLeast("memory of tensors", tensorMemory, Defaults.LEAST_MEMORY);
            }
            Checks.devices(devices);
            devices = List.copyOf(devices);
        }
    }

    /**
     * Returns the defaults: loopback, a port that the system chooses, any rank, one lane per processor, native memory,
     * no checkpoints, no devices, and for requests and answers five eighths of the JVM's direct memory, or its heap if
     * that is less.
     */
    public static ServerConfig of(String schedulerHost, int schedulerPort) {
        return new ServerConfig(
                JoinConfig.of(schedulerHost, schedulerPort),
                new Address("127.0.0.1", 0),
                null,
                Runtime.getRuntime().availableProcessors(),
                new Storage(null, null, Defaults.memory(), 0, List.of()),
                TransportConfig.usual());
    }

    /** Returns the host to listen on. */
    public String host() {
        return address.host();
    }

    /** Returns the port to listen on; 0 for a port that the system chooses. */
    public int port() {
        return address.port();
    }

    /** Returns a copy that joins the cluster of a name alone; empty for any. */
    public ServerConfig withCluster(String name) {
        return with(join.withSecurity(join.security().withCluster(name)));
    }

    private ServerConfig with(JoinConfig join) {
        return new ServerConfig(join, address, advertised, lanes, storage, transport);
    }

    private ServerConfig with(Storage storage) {
        return new ServerConfig(join, address, advertised, lanes, storage, transport);
    }

    /** Returns a copy with another address to listen on. */
    public ServerConfig listen(String host, int port) {
        return new ServerConfig(join, new Address(host, port), advertised, lanes, storage, transport);
    }

    /**
     * Returns a copy with another address for the other nodes; port 0 for the port that the server listens on. With it,
     * a server may {@link #listen} on all addresses of its machine.
     */
    public ServerConfig advertise(String host, int port) {
        return new ServerConfig(join, address, new Address(host, port), lanes, storage, transport);
    }

    /** Returns a copy that requests a rank; -1 for any. */
    public ServerConfig withRank(int rank) {
        return with(join.withRank(rank));
    }

    /** Returns a copy with another number of lanes. */
    public ServerConfig withLanes(int lanes) {
        return new ServerConfig(join, address, advertised, lanes, storage, transport);
    }

    /** Returns a copy with its shards in memory-mapped files below a directory. */
    public ServerConfig withMapped(Path directory) {
        return with(new Storage(
                directory, storage.checkpoints(), storage.memory(), storage.tensorMemory(), storage.devices()));
    }

    /** Returns a copy with a directory below which tensors are saved, shared by all servers. */
    public ServerConfig withCheckpoints(Path directory) {
        return withCheckpoints(new FolderStore(directory));
    }

    /** Returns a copy with a place where tensors are saved, the same for all servers. */
    public ServerConfig withCheckpoints(CheckpointStore place) {
        return with(new Storage(storage.mapped(), place, storage.memory(), storage.tensorMemory(), storage.devices()));
    }

    /** Returns a copy with another limit on the bytes of requests and answers that the server holds. */
    public ServerConfig withMemory(long memory) {
        return with(new Storage(
                storage.mapped(), storage.checkpoints(), memory, storage.tensorMemory(), storage.devices()));
    }

    /**
     * Returns a copy with another limit on the bytes of the tensors in native memory; 0 for the limit of the machine.
     */
    public ServerConfig withTensorMemory(long bytes) {
        return with(new Storage(storage.mapped(), storage.checkpoints(), storage.memory(), bytes, storage.devices()));
    }

    /** Returns a copy with the numbers of the accelerators that the server uses; none by default. */
    public ServerConfig withDevices(int... devices) {
        List<Integer> numbers = Arrays.stream(devices).boxed().toList();
        return with(new Storage(
                storage.mapped(), storage.checkpoints(), storage.memory(), storage.tensorMemory(), numbers));
    }

    /** Returns a copy with another time for the cluster to form. */
    public ServerConfig withJoinTimeout(Duration timeout) {
        return with(join.withTimeout(timeout));
    }

    /** Returns a copy with the cluster's secret, which the scheduler has as well. */
    public ServerConfig withSecret(String secret) {
        return with(join.withSecurity(join.security().withSecret(secret)));
    }

    /**
     * Returns a copy that may listen beyond loopback without a secret and TLS: in a network that others cannot reach.
     */
    public ServerConfig asInsecure() {
        return with(join.withSecurity(join.security().asInsecure()));
    }

    /** Returns a copy with TLS, which every node of the cluster has as well. */
    public ServerConfig withTls(Tls tls) {
        return with(join.withSecurity(join.security().withTls(tls)));
    }

    /** Returns a copy with another transport. */
    public ServerConfig withTransport(TransportConfig transport) {
        return new ServerConfig(join, address, advertised, lanes, storage, transport);
    }
}
