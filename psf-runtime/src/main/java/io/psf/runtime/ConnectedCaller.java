package io.psf.runtime;

import io.psf.api.CallInterceptor;
import io.psf.api.CallListener;
import io.psf.api.Caller;
import io.psf.api.ClusterCaller;
import io.psf.api.Gauge;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.call.TaskStep;
import io.psf.runtime.internal.call.TaskSteps;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.KnownTensors;
import io.psf.runtime.internal.cluster.Ping;
import io.psf.runtime.internal.cluster.PingPsf;
import io.psf.runtime.internal.cluster.RestoreFrom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of a worker and a client: calls through sessions with the servers, and a connection to the scheduler,
 * which says what changes in the cluster. Thread-safe.
 */
abstract class ConnectedCaller implements ClusterCaller, FunctionCaller, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectedCaller.class);
    private static final Duration LONGEST = Duration.ofDays(24);

    private final WorkerConfig config;
    private final NodeResources node;
    private final CallClient client;
    private final CallLimits usual;
    private final String name;
    private final ClusterLink link;
    private final ServerLinks servers;
    private final Written written;
    private final KnownTensors layouts;
    private final java.util.function.Function<TensorId, TensorLayout> layout = this::layout;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** What runs before this caller leaves with its process. */
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();

    private volatile @Nullable PsException ended;
    /** The last rollback that this caller has taken note of. */
    private volatile long rollback;
    /** Thrown by the next call: no call has failed with it. */
    private final AtomicReference<@Nullable PsException> rolledBack = new AtomicReference<>();

    /** Joins the cluster. Blocks until the cluster is complete and all servers are connected. */
    ConnectedCaller(WorkerConfig config, NodeResources node, Role role) {
        this.config = config;
        this.node = node;
        this.client = node.client();
        this.usual = new CallLimits(nanos(config.deadline()), 0, false, client::callBack);
        int wanted = role == Role.CLIENT ? -1 : config.join().rank();
        this.link = node.join(config.join(), Join.Request.of(role, wanted, "", 0));
        this.name = role.label() + " " + link.rank();
        if (link.since() > 1) { // no number of an earlier node of this rank may come again
            client.numberFrom(link.since() - 1 << 32);
        }
        this.rollback = link.first().recovery().rollback();
        this.servers = new ServerLinks(client, node.transport(), link, config.reconnectLimit(), () -> ended);
        node.sender((AutoCloseable) servers::disconnect);
        this.written = new Written(client, servers::peers, link.limits().heartbeat());
        this.layouts = new KnownTensors(link, config.deadline());
        client.repeatWith(new RepeatedCalls(this, layouts, servers));
        link.beat(new Beats()); // before the servers are connected, since they may take long to answer
        servers.open(link.first(), config.join().timeout());
        node.started(
                link.info(),
                List.of(new Gauge("psf.members", "nodes", () -> state().nodes().size())));
    }

    /** Lets a connected caller leave with its process, if the configuration asks for that. */
    static <C extends ConnectedCaller> C leavingAtExit(C caller) {
        ConnectedCaller known = caller;
        if (known.config.leaveAtExit()) {
            known.node.receiver(new ExitHook(known));
        }
        return caller;
    }

    @Override
    public Runnable atExit(Runnable ending) {
        endings.add(ending);
        return () -> endings.remove(ending);
    }

    List<Runnable> endings() {
        return List.copyOf(endings);
    }

    /** Receives what the scheduler says of the cluster. */
    private final class Beats implements ClusterLink.Events {
        @Override
        public void changed(ClusterState before, ClusterState now) {
            if (now.recovery().rollback() > rollback) {
                rollBack(now.recovery().rollback());
            }
            servers.apply(before, now);
        }

        @Override
        public void ended() {
            end(new PsException(Code.CLOSED, "the cluster has ended (expected: running)"));
        }

        @Override
        public void schedulerLost(PsException cause) {
            end(Termination.of(cause));
        }

        private void end(PsException cause) {
            ended = cause;
            client.failAll(cause);
        }
    }

    /** Takes note of a rollback. */
    void rollBack(long epoch) {
        rollback = epoch;
    }

    /** Returns the last rollback that this caller has taken note of. */
    long knownRollback() {
        return rollback;
    }

    /**
     * Takes note of a rollback as a worker: the outstanding calls fail, since their effects are undone. If there are none, the
     * next call fails.
     */
    void failCalls(long epoch) {
        PsException cause = Written.lostNodeIsBack();
        rolledBack.set(cause);
        rollback = epoch;
        if (client.failForeground(cause)) {
            rolledBack.compareAndSet(cause, null);
        }
    }

    /** Adds a listener to the calls that this caller makes from now on. */
    public void listen(CallListener listener) {
        node.listen(listener);
    }

    ClusterLink link() {
        return link;
    }

    ClusterState state() {
        return link.view().state();
    }

    /** Returns the number of servers of the cluster. */
    public int servers() {
        return state().servers().size();
    }

    @Override
    public List<Member> members() {
        return state().members();
    }

    @Override
    public List<Member> lost() {
        return state().lost().stream().map(ClusterChange.Loss::member).toList();
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return start(prepare(function, request, into, options, null));
    }

    <R> Call<R> start(Call<R> call) {
        return client.start(call);
    }

    /**
     * Returns a chain: calls that are sent together, in one message to each slice, and run there one after another. For
     * example, a push and the pull that follows it take one round trip.
     */
    public Chain chain() {
        return new Chain(this, null);
    }

    /**
     * Returns a caller whose changes are steps of a task: a task that is run again changes nothing twice.
     *
     * @param task the number of the task, the same for each attempt; not 0; {@link TaskCaller#number} makes one of texts
     */
    public TaskCaller task(long task) {
        return new TaskCaller(this, new TaskSteps(task));
    }

    void startTogether(List<Call<?>> calls) {
        client.startTogether(calls);
    }

    /** Returns a prepared call that is not sent yet; as a step of a task unless that is null. */
    <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallOptions options, @Nullable TaskStep step) {
        return prepare(function, request, into, limits(options, step), options.withoutLost());
    }

    /** Prepares a call, also to servers that are lost. */
    <Q, R> Call<R> prepare(Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
        return prepare(function, request, into, limits, false);
    }

    private <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallLimits limits, boolean withoutLost) {
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
                    key.isPresent() ? List.of(nodes.get(state().owner(key.getAsLong()))) : servers.all(withoutLost),
                    limits);
        } catch (PsException e) {
            throw e.at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    private CallLimits limits(CallOptions options, @Nullable TaskStep step) {
        Duration deadline = options.deadline();
        return deadline == null && options.priority() == 0 && step == null
                ? usual
                : new CallLimits(
                        nanos(deadline == null ? config.deadline() : deadline),
                        options.priority(),
                        false,
                        usual.repeats(),
                        step);
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
        if (cause == null && rolledBack.get() != null) {
            cause = rolledBack.getAndSet(null);
        }
        if (cause != null) {
            throw cause;
        }
        if (closed.get()) {
            throw new PsException(Code.CLOSED, name + ": closed");
        }
    }

    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> tensors) {
        requireOpen();
        List<TensorLayout> layouts = link.declare(tensors, config.deadline());
        layouts.forEach(servers::requirePresent);
        return layouts;
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
    public Map<TensorId, TensorLayout> layouts(List<TensorId> tensors) {
        requireOpen();
        return layouts.declared(tensors);
    }

    @Override
    public void forget(TensorId tensor) {
        requireOpen();
        link.forget(tensor, config.deadline());
    }

    /** Waits for the other workers at the barrier. Returns the last rollback that this worker had noted until then. */
    long meet(Duration limit) {
        requireOpen();
        long until = System.nanoTime() + nanos(limit);
        written.require(limit);
        long known = rollback;
        link.barrier(known, Duration.ofNanos(Math.max(1, until - System.nanoTime())));
        written.requireKept();
        return known;
    }

    @Override
    public void restoreFrom(String model, Restore mode, boolean loaded) {
        requireOpen();
        link.restoreFrom(
                new RestoreFrom.Request(model, mode == Restore.ALL, loaded, rollback, false), config.deadline());
    }

    @Override
    public void restoreNoLonger(String model) {
        requireOpen();
        link.restoreFrom(new RestoreFrom.Request(model, false, false, 0, true), config.deadline());
    }

    /** Checks, at the scheduler, that there is no rollback of which this caller has taken no note, or after which a load is due. */
    void requireNoLoadDue() {
        requireOpen();
        link.restoreFrom(new RestoreFrom.Request(RestoreFrom.NONE, false, false, rollback, false), config.deadline());
    }

    /** Returns the latest state. Blocks until all servers have answered, and then the scheduler. */
    ClusterState confirmed() {
        requireOpen();
        client.callNodes(PingPsf.FUNCTION, new Ping.Request(), servers.all(false), nanos(config.deadline()))
                .await();
        return link.latest(config.deadline());
    }

    @Override
    public void end() {
        requireOpen();
        link.end(config.deadline());
    }

    @Override
    public void await(TensorId tensor) {
        client.await(tensor);
    }

    @Override
    public void awaitAll() {
        client.await(null);
        if (ended == null && !closed.get()) {
            written.require(config.deadline());
        }
    }

    /** Returns the media of the connections to the servers, for messages. */
    String media() {
        return servers.media();
    }

    /** Returns the number of bytes of all requests sent. */
    public long bytesSent() {
        return client.bytesSent();
    }

    /** Returns the number of bytes of all answers received. */
    public long bytesReceived() {
        return client.bytesReceived();
    }

    @Override
    public synchronized void close() {
        if (closed.compareAndSet(false, true)) {
            if (client.settle(Defaults.SETTLE) > 0) {
                client.failForeground(new PsException(Code.CLOSED, name + ": closed before the answer arrived"));
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
                if (link.since() == 0) {
                    servers.endSessions(Defaults.SETTLE);
                }
            } finally {
                node.close();
            }
        }
    }
}
