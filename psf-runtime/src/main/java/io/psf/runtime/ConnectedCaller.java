package io.psf.runtime;

import io.psf.api.CallInterceptor;
import io.psf.api.CallListener;
import io.psf.api.Caller;
import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.TaskStep;
import io.psf.runtime.internal.call.TaskSteps;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.Ping;
import io.psf.runtime.internal.cluster.PingPsf;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of a worker and a client: calls through sessions with the servers, and a connection to the scheduler,
 * which says what changes in the cluster. Thread-safe.
 */
abstract class ConnectedCaller implements ClusterCaller, FunctionCaller, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectedCaller.class);

    private final WorkerConfig config;
    private final NodeResources node;
    private final CallClient client;
    private final ClusterLink link;
    private final CallGate gate;
    private final ServerLinks servers;
    private final WorkerCalls calls;
    private final Written written;
    /** What runs before this caller leaves with its process. */
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();

    /** Joins the cluster. Blocks until the cluster is complete and all servers are connected. */
    ConnectedCaller(WorkerConfig config, NodeResources node, Role role) {
        this.config = config;
        this.node = node;
        this.client = node.client();
        int wanted = role == Role.CLIENT ? -1 : config.join().rank();
        this.link = node.join(config.join(), Join.Request.of(role, wanted, "", 0));
        if (link.since() > 1) { // no number of an earlier node of this rank may come again
            client.numberFrom(link.since() - 1 << 32);
        }
        client.setWorker(role == Role.CLIENT ? -2 - link.rank() : link.rank());
        this.gate = new CallGate(
                client,
                role.label() + " " + link.rank(),
                link.first().recovery().rollback());
        this.servers = new ServerLinks(client, node.transport(), link, config.reconnectLimit(), gate::ended);
        node.sender((AutoCloseable) servers::disconnect);
        this.written = new Written(client, servers::peers, link.limits().heartbeat());
        this.calls = new WorkerCalls(client, link, servers, gate, config.deadline());
        link.beat(new Beats()); // before the servers are connected, since they may take long to answer
        servers.open(link.first(), config.join().timeout());
        node.started(link.info(), this::members);
    }

    /** Lets a connected caller leave with its process, if the configuration asks for that. */
    static <C extends ConnectedCaller> C leavingAtExit(C caller) {
        ConnectedCaller known = caller;
        if (known.config.leaveAtExit()) {
            known.node.receiver(new ExitHook(() -> known.endings.forEach(Runnable::run), known::close));
        }
        return caller;
    }

    @Override
    public Runnable atExit(Runnable ending) {
        endings.add(ending);
        return () -> endings.remove(ending);
    }

    /** Receives what the scheduler says of the cluster. */
    private final class Beats implements ClusterLink.Events {
        @Override
        public void changed(ClusterState before, ClusterState now) {
            if (now.recovery().rollback() > gate.rollback()) {
                rollBack(now.recovery().rollback());
            }
            servers.apply(before, now);
        }

        @Override
        public void ended() {
            gate.end(new PsException(Code.CLOSED, "the cluster has ended (expected: running)"));
        }

        @Override
        public void schedulerLost(PsException cause) {
            gate.end(Termination.of(cause));
        }
    }

    /** Takes note of a rollback. */
    void rollBack(long epoch) {
        gate.note(epoch);
    }

    /** Adds a listener to the calls that this caller makes from now on. */
    public void listen(CallListener listener) {
        node.listen(listener);
    }

    ClusterLink link() {
        return link;
    }

    CallGate gate() {
        return gate;
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
     * @param task the number of the task, the same for each attempt; not 0; {@link TaskCaller#number} makes one of
     *     texts
     */
    public TaskCaller task(long task) {
        return task(task, () -> false);
    }

    /**
     * As {@link #task(long)}, for a task whose attempts may make different changes, for example since its rows come in
     * another order each time. An attempt's change fails with {@code OTHER_ATTEMPT} on a slice that another attempt of
     * the task has changed.
     *
     * @param mayDiffer asked before each change until it is true
     */
    public TaskCaller task(long task, BooleanSupplier mayDiffer) {
        return new TaskCaller(this, new TaskSteps(task, mayDiffer));
    }

    void startTogether(List<Call<?>> calls) {
        client.startTogether(calls);
    }

    /** Returns a prepared call that is not sent yet; as a step of a task unless that is null. */
    <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallOptions options, @Nullable TaskStep step) {
        return calls.prepare(function, request, into, options, step);
    }

    /** Returns a caller whose stubs pass each call through an interceptor. */
    public Caller intercept(CallInterceptor interceptor) {
        return new InterceptedCaller(this, interceptor);
    }

    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> tensors) {
        gate.requireOpen();
        List<TensorLayout> layouts = link.declare(tensors, config.deadline());
        layouts.forEach(servers::requirePresent);
        return layouts;
    }

    @Override
    public TensorLayout layout(TensorId tensor) {
        return calls.layout(tensor);
    }

    @Override
    public Map<TensorId, TensorLayout> layouts(List<TensorId> tensors) {
        return calls.layouts(tensors);
    }

    @Override
    public void forget(TensorId tensor) {
        gate.requireOpen();
        link.forget(tensor, config.deadline());
    }

    /** Waits for the other workers at the barrier. Returns the last rollback that this worker had noted until then. */
    long meet(Duration limit) {
        gate.requireOpen();
        long until = System.nanoTime() + WorkerCalls.nanos(limit);
        written.require(limit);
        long known = gate.rollback();
        link.barrier(known, Duration.ofNanos(Math.max(1, until - System.nanoTime())));
        written.requireKept();
        return known;
    }

    @Override
    public long notedRollback() {
        return gate.rollback();
    }

    /** Returns the latest state. Blocks until all servers have answered, and then the scheduler. */
    ClusterState confirmed() {
        gate.requireOpen();
        client.callNodes(PingPsf.FUNCTION, new Ping.Request(), servers.all(false), WorkerCalls.nanos(config.deadline()))
                .await();
        return link.latest(config.deadline());
    }

    @Override
    public void end() {
        gate.requireOpen();
        link.end(config.deadline());
    }

    @Override
    public void await(TensorId tensor) {
        client.await(tensor);
    }

    @Override
    public void awaitAll() {
        client.await(null);
        if (gate.isOpen()) {
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
        if (gate.close()) {
            if (client.settle(Defaults.SETTLE) > 0) {
                client.failForeground(new PsException(Code.CLOSED, gate.name() + ": closed before the answer arrived"));
            }
            try {
                client.await(null);
            } catch (PsException e) {
                LOG.warn("a call that was not awaited had failed: {}", e.getMessage());
            }
            try {
                if (gate.ended() == null) {
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
