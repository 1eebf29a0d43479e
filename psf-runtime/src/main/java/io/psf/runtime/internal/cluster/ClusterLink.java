package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.NodeInfo;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.FullHeap;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of a server or worker to the scheduler, on the node's side. Thread-safe. */
public final class ClusterLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** How long the scheduler may take to answer its first call; then the node connects again. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The least time for that call: connecting may have taken the rest of the timeout. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Receives the events that a node learns of from its heartbeats. */
    public interface Events {
        /**
         * Called when nodes have joined, have left or are lost.
         *
         * @param before the state of the last call, or of the join
         */
        void changed(ClusterState before, ClusterState now);

        /** Called when the job is over. */
        void ended();

        /** Called when the scheduler was not reachable for too long, or counts this node as lost. */
        void schedulerLost(PsException cause);
    }

    private final CallClient client;
    private final Peer scheduler;
    private final Join.Response joined;
    private final Ticket ticket;
    private final ClusterView view;
    private final ClusterState first;
    private volatile boolean left;
    /** True while the scheduler wants reports of this node's calls. */
    private volatile boolean reports;
    /**
     * When the last heartbeat was sent that is answered, or the join was answered, as {@link System#nanoTime} counts.
     */
    private volatile long heardFrom = System.nanoTime();

    private ClusterLink(CallClient client, Peer scheduler, Join.Response joined, Ticket ticket) {
        this.client = client;
        this.scheduler = scheduler;
        this.joined = joined;
        this.ticket = ticket;
        this.view = new ClusterView(joined.state(), joined.rules());
        this.first = view.state();
    }

    /**
     * Joins the cluster and blocks until it is complete. The scheduler may be started later. If the connection breaks
     * before the cluster is complete, the node joins again. One that breaks later is replaced while a node looks for
     * its scheduler.
     *
     * @param host the scheduler
     * @param request without a credential
     * @param secret the secret of the cluster; null for none
     * @param stages receives how far the node is, each time that this changes, on the calling thread
     * @throws PsException if the cluster does not form in time; with {@code PROTOCOL} if another program answers; with
     *     {@code UNAVAILABLE} if the process that started this node for its job has ended
     */
    public static ClusterLink join(
            CallClient client,
            Transport transport,
            Member host,
            Join.Request request,
            @Nullable String secret,
            Duration timeout,
            Consumer<JoinStage> stages) {
        long deadline = System.nanoTime() + timeout.toNanos();
        Attempts attempts = new Attempts(timeout.toNanos());
        boolean told = false;
        while (true) {
            attempts.next();
            Peer scheduler = SchedulerSearch.connect(client, transport, host, deadline, timeout);
            Challenge.@Nullable Response challenge = null;
            PsException failure;
            try {
                long patience = Math.min(PATIENCE_NANOS, deadline - System.nanoTime());
                challenge = FirstCall.challenge(client, scheduler, Role.SCHEDULER, Math.max(LEAST_NANOS, patience));
                stages.accept(challenge.isForming() ? JoinStage.FORMS : JoinStage.WAITS);
                return joined(client, transport, host, scheduler, proven(request, secret, challenge.nonce()), deadline);
            } catch (PsException e) {
                failure = e;
            }
            stages.accept(JoinStage.CONNECTS);
            client.disconnect(scheduler);
            boolean hangs = failure.code() == Code.TIMED_OUT && challenge == null;
            boolean mayPass = hangs || failure.code() == Code.UNAVAILABLE;
            if (!mayPass || System.nanoTime() - deadline > 0) {
                boolean isClosed = mayPass && !hangs && challenge == null;
                throw isClosed ? attempts.failure(scheduler.name(), "not joined", failure) : failure;
            }
            if (!told) {
                told = true;
                LOG.warn("joining again, for up to {} s: {}", timeout.toSeconds(), failure.detail());
            }
            Session.pause(SchedulerSearch.RETRY_NANOS);
        }
    }

    /** Joins over a connection. Blocks until the cluster is complete. */
    private static ClusterLink joined(
            CallClient client, Transport transport, Member host, Peer scheduler, Join.Request request, long deadline) {
        // The scheduler reports the missing nodes when its own timeout ends, so this timeout is slightly longer.
        long limit = Math.max(0, deadline - System.nanoTime()) + GRACE.toNanos();
        Join.Response joined;
        try {
            joined = client.callInBackground(JoinPsf.FUNCTION, request, scheduler, limit)
                    .await();
        } catch (PsException e) {
            throw e.code() == Code.TIMED_OUT && System.nanoTime() - deadline > 0
                    ? new PsException(
                            Code.TIMED_OUT,
                            scheduler.name() + ": the cluster is not complete (expected: all of its nodes within the"
                                    + " join timeout): " + e.detail(),
                            e)
                    : FirstCall.ofScheduler(scheduler, e);
        }
        Protocol.OWN.agree(joined.protocol());
        Ticket ticket = joined.ticket(request.role());
        Duration patience = joined.limits().scheduler();
        if (!new Session(client, transport, host, ticket, request.session(), patience).keep(scheduler)) {
            throw new PsException(Code.UNAVAILABLE, scheduler.name() + ": connection closed");
        }
        return new ClusterLink(client, scheduler, joined, ticket);
    }

    /** Returns a request with the credential of the node that joins, or visits. */
    static Join.Request proven(Join.Request request, @Nullable String secret, byte[] nonce) {
        SharedSecret shared = new SharedSecret(secret);
        return shared.exists() ? request.with(shared.credential(request, nonce)) : request;
    }

    /** Returns the number of workers of the job, at least as many as the highest rank needs, when this node joined. */
    public int workers() {
        return joined.admission().workers();
    }

    /** True for a worker that has joined a running job. */
    public boolean isLate() {
        return joined.admission().late();
    }

    /** Returns the epoch in which this node joined; 0 for a client. */
    public long since() {
        return joined.admission().since();
    }

    /** Returns the rank that the scheduler assigned to this node; the number of a client. */
    public int rank() {
        return joined.admission().rank();
    }

    /** Returns this node, as its listeners see it. */
    public NodeInfo info() {
        return ticket.info();
    }

    /** Returns the ticket with which this node proves its role and rank. */
    public Ticket ticket() {
        return ticket;
    }

    /** Returns the tickets with which a server checks the tickets of others. */
    public Tickets tickets() {
        return new Tickets(joined.keys().cluster(), joined.keys().key());
    }

    /** Returns how long nodes may be missing. */
    public Join.Limits limits() {
        return joined.limits();
    }

    /**
     * Returns how long this node looks for a server without progress: not less than the scheduler takes to find out
     * that the server is lost, if another one may take its place.
     *
     * @param wanted the configured time
     */
    public Duration reconnectLimit(Duration wanted) {
        Duration least = joined.admission().serversReturn() ? limits().loss() : Duration.ZERO;
        return wanted.compareTo(least) < 0 ? least : wanted;
    }

    /**
     * Returns the time since the sending of the last heartbeat that the scheduler has answered. The scheduler, which
     * counts from the arrival of a heartbeat, has not missed this node for longer.
     */
    public Duration silence() {
        return Duration.ofNanos(System.nanoTime() - heardFrom);
    }

    /** Returns the state of the cluster when this node joined. */
    public ClusterState first() {
        return first;
    }

    /** Returns what this node knows of the cluster. */
    public ClusterView view() {
        return view;
    }

    /** Starts to send heartbeats, until the node leaves. */
    public void beat(Events events) {
        beatOn(first, events);
    }

    /**
     * Sends a heartbeat, which is answered with news.
     *
     * @param told the state of whose nodes the events have been told; the node may know a later one, which it received
     *     with another answer
     */
    private void beat(ClusterState told, Events events) {
        if (left) {
            return;
        }
        // Longer than the replacement of a broken connection may take: a failed replacement reports the better reason.
        long limit = TimeUnit.MILLISECONDS.toNanos(joined.limits().schedulerMillis()) / 2 * 3;
        long sent = System.nanoTime();
        client.callInBackground(
                        BeatPsf.FUNCTION,
                        new Beat.Request(told.epoch(), view.rules().version()),
                        scheduler,
                        limit)
                .toCompletableFuture()
                .whenComplete((now, failure) -> {
                    try {
                        beaten(told, sent, now, failure, events);
                    } catch (OutOfMemoryError e) { // else only the future has it, and no heartbeat follows
                        FullHeap.report(e);
                        throw e;
                    }
                });
    }

    private void beaten(
            ClusterState told, long sent, Beat.@Nullable Response now, @Nullable Throwable failure, Events events) {
        if (left) {
            return;
        }
        if (now == null) {
            events.schedulerLost(
                    failure instanceof PsException known
                            ? known
                            : new PsException(Code.UNAVAILABLE, "scheduler: " + failure, failure));
            return;
        }
        heardFrom = sent;
        view.apply(now);
        if (now.reports() && !reports) {
            reports = true;
            client.count();
        }
        ClusterState state = view.state();
        if (!state.nodes().equals(told.nodes()) || !state.lost().equals(told.lost())) {
            events.changed(told, state);
        }
        if (now.ended()) {
            events.ended();
        } else {
            beatOn(state, events);
        }
    }

    /** Reports what this node's calls take, if the scheduler wants to know. Called once a second. Does not block. */
    public void report() {
        if (!reports || left) {
            return;
        }
        try {
            ReportCalls.Request request = new ReportCalls.Request(client.count().report());
            var unused = client.callInBackground(ReportCallsPsf.FUNCTION, request, scheduler, GRACE.toNanos())
                    .toCompletableFuture()
                    .whenComplete((answer, failure) -> reports = answer != null && answer.more());
        } catch (PsException e) { // the next heartbeat asks again
            LOG.debug("reporting: {}", e.getMessage());
            reports = false;
        }
    }

    private void beatOn(ClusterState told, Events events) {
        try {
            beat(told, events);
        } catch (PsException e) {
            events.schedulerLost(e);
        }
    }

    /** Returns the scheduler as a peer for calls. */
    public Peer scheduler() {
        return scheduler;
    }

    /**
     * Leaves the cluster in order. A failure is only logged: the scheduler may be gone. The connection to it is kept,
     * and not replaced if it breaks.
     */
    public void leave() {
        left = true;
        try {
            ask(LeavePsf.FUNCTION, new Leave.Request(), GRACE);
        } catch (PsException e) {
            LOG.debug("leaving: {}", e.getMessage());
        }
        if (!scheduler.onDisconnect(client::disconnect)) {
            client.disconnect(scheduler);
        }
    }

    /** Disconnects from the scheduler. Calls to it that have no answer fail. */
    @Override
    public void close() {
        client.disconnect(scheduler);
    }

    /** Ends the job or the service. */
    public void end(Duration limit) {
        ask(EndPsf.FUNCTION, new End.Request(), limit);
    }

    /**
     * Blocks until every worker has called the barrier.
     *
     * @param rollback the last rollback that this worker has taken note of
     */
    public void barrier(long rollback, Duration limit) {
        ask(BarrierPsf.FUNCTION, new Barrier.Request(rollback), limit);
    }

    /** Registers tensors, and returns the placement of their slices. */
    public List<TensorLayout> declare(List<TensorDeclaration> tensors, Duration limit) {
        long known = view.state().epoch();
        view.apply(ask(DeclarePsf.FUNCTION, new Declare.Request(tensors, known), limit)
                .changes());
        ClusterState now = view.state();
        return tensors.stream()
                .map(tensor -> ClusterView.require(now, tensor.info().id()).layout())
                .toList();
    }

    /** Frees a tensor's name for another declaration. */
    public void forget(TensorId id, Duration limit) {
        forget(id, false, limit);
    }

    /** Says that a tensor has lost slices that no checkpoint has: its declaration ends. */
    public void dropped(TensorId id, Duration limit) {
        forget(id, true, limit);
    }

    private void forget(TensorId id, boolean lost, Duration limit) {
        long known = view.state().epoch();
        view.apply(ask(ForgetPsf.FUNCTION, new Forget.Request(id, known, lost), limit)
                .changes());
    }

    /** Asks the scheduler for the state, without waiting for a heartbeat. Does not block. */
    CompletableFuture<ClusterState> refresh(Duration limit) {
        return client.callInBackground(
                        GetChangesPsf.FUNCTION,
                        new GetChanges.Request(view.state().epoch()),
                        scheduler,
                        limit.toNanos())
                .toCompletableFuture()
                .thenApply(answer -> {
                    view.apply(answer.changes());
                    return view.state();
                });
    }

    /** Asks the scheduler for the state. Blocks until it has answered, for a few seconds at most. */
    public void refresh() {
        try {
            var unused = refresh(GRACE).get(GRACE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | PsException e) {
            LOG.debug("asking for the state: {}", e.toString());
        }
    }

    /** Asks the scheduler for the state. Blocks until it has answered. */
    public ClusterState latest(Duration limit) {
        GetChanges.Request known = new GetChanges.Request(view.state().epoch());
        view.apply(ask(GetChangesPsf.FUNCTION, known, limit).changes());
        return view.state();
    }

    private <Q, R> R ask(Function<Q, R> function, Q request, Duration limit) {
        return client.callNodes(function, request, List.of(scheduler), limit.toNanos())
                .await();
    }
}
