package io.psf.runtime;

import io.psf.api.CallInterceptor;
import io.psf.api.CallListener;
import io.psf.api.Caller;
import io.psf.api.Gauge;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorCaller;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.call.Call;
import io.psf.runtime.call.CallLimits;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Layouts;
import io.psf.runtime.call.Peer;
import io.psf.runtime.cluster.ClusterChange;
import io.psf.runtime.cluster.ClusterLink;
import io.psf.runtime.cluster.ClusterState;
import io.psf.runtime.cluster.Join;
import io.psf.runtime.cluster.KnownTensors;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes, and calls PS functions: every stub is made of a worker. Calls on one shard run in the order in which one
 * thread sent them. Thread-safe.
 */
public final class Worker implements TensorCaller, FunctionCaller, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final Duration LONGEST = Duration.ofDays(24);

    private final WorkerConfig config;
    private final NodeResources node;
    private final Client client;
    private final CallLimits usual;
    private final ClusterLink link;
    private final ServerLinks servers;
    private final Written written;
    private final KnownTensors layouts;
    private final java.util.function.Function<TensorId, TensorLayout> layout = this::layout;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable PsException ended;

    private Worker(WorkerConfig config, NodeResources node) {
        this.config = config;
        this.node = node;
        this.client = node.client();
        this.usual = new CallLimits(nanos(config.deadline()), 0, false, client::callBack);
        this.link = node.join(
                config.join(), Join.Request.of(Role.WORKER, config.join().rank(), "", 0));
        this.servers = new ServerLinks(client, node.transport(), link, () -> ended);
        node.sender((AutoCloseable) servers::disconnect);
        this.written = new Written(client, servers::peers, link.heartbeatLimit());
        this.layouts = new KnownTensors(link, config.deadline());
        client.repeatWith(new Repetitions());
        link.beat(new Beats()); // before the servers are connected, since they may take long to answer
        servers.open(link.first(), config.join().timeout());
        node.started(
                link.info(),
                List.of(new Gauge("psf.members", "nodes", () -> state().nodes().size())));
        LOG.info("worker has rank {} of {}, with {} servers", rank(), workers(), servers());
    }

    /** Receives what the scheduler says of the cluster. */
    private final class Beats implements ClusterLink.Events {
        @Override
        public void changed(ClusterState now) {
            servers.apply(now);
        }

        @Override
        public void ended() {}

        @Override
        public void schedulerLost(PsException cause) {
            PsException lost = new PsException(cause.code(), "lost the scheduler: " + cause.detail());
            ended = lost;
            client.failAll(lost);
        }
    }

    /** Prepares calls that are repeated since their layouts were out of date. */
    private final class Repetitions implements Layouts {
        @Override
        public void doubt() {
            layouts.doubt();
        }

        @Override
        public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
            return layouts.refresh(tensor);
        }

        @Override
        public CompletableFuture<List<Peer>> owners(TensorLayout layout) {
            return CompletableFuture.completedFuture(servers.peers());
        }

        @Override
        public <Q, R> CompletableFuture<Call<R>> prepare(
                Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
            return CompletableFuture.completedFuture(Worker.this.prepare(function, request, into, limits));
        }
    }

    /**
     * Joins a cluster. Blocks until the cluster is complete and all servers are connected.
     *
     * @throws PsException with {@code TIMED_OUT} or {@code UNAVAILABLE} if the cluster does not form in time
     */
    public static Worker connect(WorkerConfig config) {
        return connect(config, Network.open(config.transport(), Defaults.pool()));
    }

    static Worker connect(WorkerConfig config, Network network) {
        NodeResources node = new NodeResources("psf-worker", network);
        return node.start(() -> new Worker(config, node));
    }

    /** Adds a listener to the calls that this worker makes from now on. */
    public void listen(CallListener listener) {
        node.listen(listener);
    }

    /** Returns this worker's rank among the workers, from 0. */
    public int rank() {
        return link.rank();
    }

    /** Returns the number of workers that the cluster began with. */
    public int workers() {
        return link.first().count(Role.WORKER);
    }

    private ClusterState state() {
        return link.view().state();
    }

    /** Returns the number of servers of the cluster. */
    public int servers() {
        return state().servers().size();
    }

    /**
     * Returns the nodes that the scheduler counts as lost, in the order of their losses. A node that has left is not
     * among them.
     */
    public List<Member> lost() {
        return state().lost().stream().map(ClusterChange.Loss::member).toList();
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return client.start(prepare(function, request, into, options));
    }

    /**
     * Returns a chain: calls that are sent together, in one message to each slice, and run there one after another. For
     * example, a push and the pull that follows it take one round trip.
     */
    public Chain chain() {
        return new Chain(this);
    }

    void startTogether(List<Call<?>> calls) {
        client.startTogether(calls);
    }

    /** Returns a prepared call that is not sent yet. */
    <Q, R> Call<R> prepare(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return prepare(function, request, into, limits(options));
    }

    private <Q, R> Call<R> prepare(Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
        requireOpen();
        TensorId tensor = function.target(request);
        List<Peer> nodes = servers.peers();
        try {
            if (tensor == null && function.info().place() == Place.SHARD) {
                throw new PsException(
                        Code.BAD_REQUEST, "tensor: null (expected: the id of a tensor that has been initialized)");
            }
            if (tensor != null) {
                return client.onShards(function, request, into, layout(tensor), layout, nodes, limits);
            } else if (function.info().place() == Place.SCHEDULER) {
                return client.onNodes(function, request, List.of(link.scheduler()), limits);
            }
            OptionalLong key = function.ownerKey(request);
            return client.onNodes(
                    function,
                    request,
                    key.isPresent() ? List.of(nodes.get(state().owner(key.getAsLong()))) : nodes,
                    limits);
        } catch (PsException e) {
            throw e.at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    private CallLimits limits(CallOptions options) {
        Duration deadline = options.deadline();
        return deadline == null && options.priority() == 0
                ? usual
                : new CallLimits(
                        nanos(deadline == null ? config.deadline() : deadline),
                        options.priority(),
                        false,
                        usual.repeats());
    }

    /** Returns a caller whose stubs pass each call through an interceptor. */
    public Caller intercept(CallInterceptor interceptor) {
        return new InterceptedCaller(this, interceptor);
    }

    /** Returns the limit in nanoseconds, at most {@link #LONGEST}. */
    private static long nanos(Duration limit) {
        return limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos();
    }

    private void requireOpen() {
        PsException cause = ended;
        if (cause != null) {
            throw cause;
        }
        if (closed.get()) {
            throw new PsException(Code.CLOSED, "worker " + rank() + ": closed");
        }
    }

    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> tensors) {
        requireOpen();
        return link.declare(tensors, config.deadline());
    }

    @Override
    public TensorLayout layout(TensorId tensor) {
        TensorLayout known = layouts.known(tensor);
        if (known == null) {
            requireOpen();
            known = layouts.require(tensor);
        }
        return known;
    }

    @Override
    public void forget(TensorId tensor) {
        requireOpen();
        link.forget(tensor, config.deadline());
    }

    /**
     * Blocks until every present worker has called the barrier as often as this one.
     *
     * @throws PsException with {@code TIMED_OUT} if they do not within this worker's deadline; with {@code UNAVAILABLE}
     *     if a server is lost on which this worker has changed something, including by an acknowledged push
     */
    public void barrier() {
        barrier(config.deadline());
    }

    /** As {@link #barrier()}, with a deadline of its own. */
    public void barrier(Duration limit) {
        requireOpen();
        long until = System.nanoTime() + nanos(limit);
        written.require(limit);
        link.barrier(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
        written.requireKept();
    }

    /**
     * Blocks until every earlier call on a tensor has ended.
     *
     * @throws PsException the failure of the first of them that failed and was not awaited
     */
    public void await(TensorId tensor) {
        client.await(tensor);
    }

    /**
     * As {@link #await(TensorId)}, for the calls on all tensors. Also asks the servers whether they still hold the
     * acknowledged changes.
     *
     * @throws PsException the failure of the first call that failed and was not awaited; with {@code UNAVAILABLE} if a
     *     server is lost on which this worker has changed something
     */
    public void awaitAll() {
        client.await(null);
        if (ended == null && !closed.get()) {
            written.require(config.deadline());
        }
    }

    /** Returns the number of bytes of all requests sent. */
    public long bytesSent() {
        return client.bytesSent();
    }

    /** Returns the number of bytes of all answers received. */
    public long bytesReceived() {
        return client.bytesReceived();
    }

    /**
     * Leaves the cluster. The job ends when the last worker has left. This method waits for outstanding calls as long
     * as one of them ends within each second. Then the remaining calls fail with {@code CLOSED}, and the servers are
     * notified that they are cancelled. Before closing, await a push that must be applied, such as a synchronous push
     * that waits for slower workers. A server that does not answer delays the end by at most the worker's deadline, and
     * a scheduler that does not answer by 5 seconds.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost on which this worker has changed something; the
     *     worker is closed all the same
     */
    @Override
    public synchronized void close() {
        if (closed.compareAndSet(false, true)) {
            if (client.settle(Defaults.SETTLE) > 0) {
                client.failForeground(
                        new PsException(Code.CLOSED, "worker " + rank() + ": closed before the answer arrived"));
            }
            try {
                client.await(null);
            } catch (PsException e) {
                LOG.warn("a call that was not awaited had failed: {}", e.getMessage());
            }
            try {
                if (ended == null) {
                    written.require(config.deadline());
                }
            } finally {
                node.close();
            }
        }
    }
}
