package io.psf.runtime;

import io.psf.api.HandlerInterceptor;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.runtime.internal.transport.memory.InProcessTransport;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole cluster in this JVM: a scheduler, servers and workers. Several clusters may exist at once, independent of
 * each other. Thread-safe.
 */
public final class PsCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PsCluster.class);

    private final Scheduler scheduler;
    private final List<Server> servers;
    private final List<Worker> workers;
    private final List<Transport> transports;
    private final Nodes nodes;
    private final WorkerConfig config;
    /** The workers and clients that have joined after the start. */
    private final List<ConnectedCaller> joined = new CopyOnWriteArrayList<>();

    /**
     * Makes nodes.
     *
     * @param networks makes the network of a worker or client
     * @param servers starts a server of a rank
     */
    private record Nodes(Supplier<Network> networks, IntFunction<Server> servers) {}

    private PsCluster(
            Scheduler scheduler,
            List<Server> servers,
            List<Worker> workers,
            List<Transport> transports,
            Nodes nodes,
            WorkerConfig config) {
        this.scheduler = scheduler;
        this.servers = new CopyOnWriteArrayList<>(servers);
        this.workers = workers;
        this.transports = transports;
        this.nodes = nodes;
        this.config = config;
    }

    /** Starts a cluster of {@code servers} servers and one worker. Frames are passed in memory. */
    public static PsCluster embedded(int servers) {
        return embedded(servers, 1);
    }

    /** Starts a cluster of {@code servers} servers and {@code workers} workers. Frames are passed in memory. */
    public static PsCluster embedded(int servers, int workers) {
        return builder().servers(servers).workers(workers).start();
    }

    /** Returns a builder of a cluster. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the worker of rank 0. */
    public Worker worker() {
        return worker(0);
    }

    /** Returns the worker of a rank. */
    public Worker worker(int rank) {
        return workers.get(rank);
    }

    /** Returns all workers, by rank. */
    public List<Worker> workers() {
        return workers;
    }

    /**
     * Makes one more worker join. Blocks until it is connected. Closed with the cluster, unless it is closed before.
     *
     * @param rank its rank, such as the rank of a worker that has left; -1 for any free rank
     * @throws PsException with {@code BAD_REQUEST} if the cluster has all of its workers and was built without {@link
     *     Builder#moreWorkers}, or the rank is taken
     */
    public Worker join(int rank) {
        Worker worker = Worker.connect(config.withRank(rank), nodes.networks().get());
        joined.add(worker);
        return worker;
    }

    /** Connects a client, which is closed with the cluster, unless it is closed before. Blocks. */
    public Client client() {
        Client client = Client.connect(config, nodes.networks().get());
        joined.add(client);
        return client;
    }

    /**
     * Starts a server in the place of a server that has been closed, with the slices of the newest checkpoint. Blocks
     * until it has them. {@link #servers} has the new one.
     *
     * @throws PsException with {@code BAD_REQUEST} if the cluster was built without {@link Builder#serverReturn}; with
     *     {@code TIMED_OUT} if no server of the rank is lost
     */
    public Server restart(int rank) {
        Server server = nodes.servers().apply(rank);
        servers.set(rank, server);
        return server;
    }

    /** Returns all servers, by rank. */
    public List<Server> servers() {
        return List.copyOf(servers);
    }

    /** Returns the scheduler. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /**
     * Closes the workers, then the servers, then the scheduler. The loss of a server is only logged here; {@link
     * Worker#close()} throws it.
     */
    @Override
    public void close() {
        joined.forEach(PsCluster::close);
        closeTogether(); // in parallel: each may wait for the others' part of a synchronous push
        servers.forEach(Server::close);
        scheduler.close();
        transports.forEach(Transport::close);
    }

    private void closeTogether() {
        ExecutorService closers = Executors.newFixedThreadPool(Math.max(1, workers.size()));
        try {
            CompletableFuture.allOf(workers.stream()
                            .map(worker -> CompletableFuture.runAsync(() -> close(worker), closers))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } finally {
            closers.shutdown();
        }
    }

    private static void close(ConnectedCaller caller) {
        try {
            caller.close();
        } catch (PsException e) {
            LOG.warn("closing a worker or client: {}", e.getMessage());
        }
    }

    /** Builds a cluster. */
    public static final class Builder {
        private int servers = 1;
        private int workers = 1;
        private boolean more;
        private @Nullable TransportConfig sockets;
        private SchedulerConfig.Life life = SchedulerConfig.Life.JOB;
        private int lanes = 1;
        private Duration deadline = Duration.ofSeconds(60);
        private Duration heartbeatLimit = Duration.ofSeconds(10);
        private Duration reconnectLimit = Duration.ofSeconds(30);
        private List<Binding<?, ?>> handlers = List.of();
        private List<HandlerInterceptor> interceptors = List.of();
        private @Nullable Path mapped;
        private long tensorMemory;
        private long memory;
        private UnaryOperator<Transport> aroundWorkers = UnaryOperator.identity();
        private UnaryOperator<Transport> aroundServers = UnaryOperator.identity();
        private @Nullable CheckpointStore checkpoints;
        private int[] devices = {};

        private Builder() {}

        public Builder servers(int servers) {
            this.servers = servers;
            return this;
        }

        /** Sets the number of workers that the cluster starts with; 0 for a service that clients alone use. */
        public Builder workers(int workers) {
            this.workers = workers;
            return this;
        }

        /** Lets more workers {@link PsCluster#join} than the cluster starts with. */
        public Builder moreWorkers() {
            this.more = true;
            return this;
        }

        /** Makes the cluster outlive its workers, until it is closed or told to end. */
        public Builder asService() {
            this.life = life.asService();
            return this;
        }

        /** Sets how long calls wait for another server in the place of a lost one; default: not at all. */
        public Builder serverReturn(Duration limit) {
            this.life = life.withServerReturn(limit);
            return this;
        }

        /** Uses TCP on 127.0.0.1 instead of passing frames in memory. */
        public Builder tcp() {
            return over(new TransportConfig(TransportConfig.Kind.TCP, Duration.ZERO));
        }

        /** Uses connections on 127.0.0.1 instead of passing frames in memory. */
        public Builder over(TransportConfig connections) {
            this.sockets = connections;
            return this;
        }

        /** Sets the number of threads that run handlers, per server; default 1. */
        public Builder lanes(int lanes) {
            this.lanes = lanes;
            return this;
        }

        /** Stores the shards in memory-mapped files below a directory; default: native memory. */
        public Builder mapped(Path directory) {
            this.mapped = directory;
            return this;
        }

        /** Sets the directory below which tensors are saved; default: none. */
        public Builder checkpoints(Path directory) {
            return checkpoints(new FolderStore(directory));
        }

        /** Sets the place where tensors are saved; default: none. */
        public Builder checkpoints(CheckpointStore place) {
            this.checkpoints = place;
            return this;
        }

        /** Sets the numbers of the accelerators that each server uses; default: none. */
        public Builder devices(int... devices) {
            this.devices = devices.clone();
            return this;
        }

        /**
         * Sets the maximum number of bytes of requests and answers that each server holds, for connections over
         * sockets. The default is a single server's limit divided by the number of servers.
         */
        public Builder memory(long bytes) {
            this.memory = bytes;
            return this;
        }

        /**
         * Sets the maximum number of bytes of the tensors that each server has in native memory; default: seven eighths
         * of the memory of the machine or container, of which at most as much is used as is available.
         */
        public Builder tensorMemory(long bytes) {
            this.tensorMemory = bytes;
            return this;
        }

        /** Sets how long a call may take unless its stub has a deadline of its own. */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /** Sets how long a node may stay silent before it counts as lost. */
        public Builder heartbeatLimit(Duration limit) {
            this.heartbeatLimit = limit;
            return this;
        }

        /** Sets how long a worker tries to connect to a server again without progress; default 30 seconds. */
        public Builder reconnectLimit(Duration limit) {
            this.reconnectLimit = limit;
            return this;
        }

        /** Sets the interceptors of every handler of the servers; the first one is the outermost. */
        public Builder interceptors(HandlerInterceptor... interceptors) {
            this.interceptors = List.of(interceptors);
            return this;
        }

        /** Sets handlers that the servers have in addition to those on the class path. */
        public Builder handlers(Binding<?, ?>... handlers) {
            this.handlers = List.of(handlers);
            return this;
        }

        /** Wraps the transport of each worker, for example to count calls or to inject faults. */
        public Builder aroundWorkers(UnaryOperator<Transport> around) {
            this.aroundWorkers = around;
            return this;
        }

        /** Wraps the transport of each server, for example to count calls or to inject faults. */
        public Builder aroundServers(UnaryOperator<Transport> around) {
            this.aroundServers = around;
            return this;
        }

        /** Starts the cluster. Blocks until it is ready. */
        public PsCluster start() {
            FramePool shared = Defaults.pool();
            InProcessTransport inProcess = new InProcessTransport();
            List<Transport> transports = new ArrayList<>();
            Function<FramePool, Transport> transport = pool -> {
                Transport made = sockets == null ? inProcess : Defaults.transport(sockets, pool);
                synchronized (transports) {
                    transports.add(made);
                }
                return made;
            };
            SchedulerConfig config = SchedulerConfig.of(servers, life.service() ? Math.max(1, workers) : workers)
                    .withLife(life)
                    .withHeartbeatLimit(heartbeatLimit);
            Scheduler scheduler = Scheduler.start(
                    more ? config.withMoreWorkers() : config, Network.shared(transport.apply(shared), shared));
            int port = scheduler.port();
            Supplier<Network> networks = () -> Network.shared(aroundWorkers.apply(transport.apply(shared)), shared);
            long most = memory > 0 ? memory : Math.max(Defaults.LEAST_MEMORY, Defaults.memory() / servers);
            ServerConfig usual = serverConfig(port);
            WorkerConfig anyWorker =
                    WorkerConfig.of("127.0.0.1", port).withDeadline(deadline).withReconnectLimit(reconnectLimit);
            ClassLoader classPath = Thread.currentThread().getContextClassLoader();
            IntFunction<Server> server = rank -> {
                Thread.currentThread().setContextClassLoader(classPath);
                FramePool pool = sockets == null ? shared : Defaults.pool(most);
                Network network = Network.shared(aroundServers.apply(transport.apply(pool)), pool);
                return Server.start(usual.withRank(rank), network, handlers, interceptors, now -> {});
            };
            ExecutorService starters = Executors.newFixedThreadPool(servers + workers);
            List<CompletableFuture<Server>> startedServers = new ArrayList<>();
            List<CompletableFuture<Worker>> startedWorkers = new ArrayList<>();
            try {
                for (int i = 0; i < servers; i++) {
                    int rank = i;
                    startedServers.add(CompletableFuture.supplyAsync(() -> server.apply(rank), starters));
                }
                for (int i = 0; i < workers; i++) {
                    WorkerConfig worker = anyWorker.withRank(i);
                    startedWorkers.add(
                            CompletableFuture.supplyAsync(() -> Worker.connect(worker, networks.get()), starters));
                }
                return new PsCluster(
                        scheduler,
                        startedServers.stream().map(PsCluster::join).toList(),
                        startedWorkers.stream().map(PsCluster::join).toList(),
                        transports,
                        new Nodes(networks, server),
                        anyWorker);
            } catch (PsException e) {
                scheduler.close(); // the nodes that wait for others fail
                startedServers.forEach(each -> each.thenAcceptAsync(Server::close, Defaults.REQUESTS));
                startedWorkers.forEach(each -> each.thenAcceptAsync(PsCluster::close, Defaults.REQUESTS));
                transports.forEach(Transport::close);
                throw e;
            } finally {
                starters.shutdownNow(); // a node that still searches for the scheduler would continue for long
            }
        }

        private ServerConfig serverConfig(int port) {
            ServerConfig plain = ServerConfig.of("127.0.0.1", port)
                    .withLanes(lanes)
                    .withTensorMemory(tensorMemory)
                    .withDevices(devices)
                    .withTransport(sockets == null ? TransportConfig.usual() : sockets);
            ServerConfig stored = mapped == null ? plain : plain.withMapped(mapped);
            return checkpoints == null ? stored : stored.withCheckpoints(checkpoints);
        }
    }

    private static <T> T join(CompletableFuture<T> started) {
        try {
            return started.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PsException known
                    ? known
                    : new PsException(Code.INTERNAL, "starting a node: " + e.getCause(), e);
        }
    }
}
