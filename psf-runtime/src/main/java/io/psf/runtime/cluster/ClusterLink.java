package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Function;
import io.psf.api.spi.TensorLayout;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's or worker's side of its connection to the scheduler. Thread-safe. */
public final class ClusterLink {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** What a node learns from its heartbeats. */
    public interface Events {
        /** Nodes have left or are lost. */
        void changed(List<Member> members, List<Beat.Loss> lost);

        /** The job is over. */
        void ended();

        /** The scheduler was not reached for as long as the heartbeat's limit, or takes this node for lost. */
        void schedulerLost(PsException cause);
    }

    private final Client client;
    private final Peer scheduler;
    private final Join.Response joined;
    private final Ticket ticket;
    private volatile boolean left;

    private ClusterLink(Client client, Peer scheduler, Join.Response joined, Ticket ticket) {
        this.client = client;
        this.scheduler = scheduler;
        this.joined = joined;
        this.ticket = ticket;
    }

    /**
     * Joins the cluster and waits until it is complete. The scheduler may be started later; where the connection breaks
     * before the cluster is complete, the node joins again. One that breaks later is replaced within the heartbeat's
     * limit.
     *
     * @throws PsException if it does not form in time
     */
    public static ClusterLink join(
            Client client, Transport transport, String host, int port, Join.Request request, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Peer scheduler = connect(client, transport, host, port, deadline, timeout);
            PsException failure;
            try {
                // The scheduler says what is missing when its own time is up, so it is asked for a little longer.
                long limit = Math.max(0, deadline - System.nanoTime()) + GRACE.toNanos();
                Join.Response joined = client.callInBackground(JoinPsf.FUNCTION, request, scheduler, limit)
                        .await();
                Ticket ticket = new Ticket(request.role(), joined.rank(), joined.cluster(), joined.ticket());
                Session session = new Session(
                        client,
                        transport,
                        new Member(Role.SCHEDULER, 0, host, port),
                        scheduler.name(),
                        ticket,
                        request.session(),
                        Duration.ofMillis(joined.heartbeatMillis()));
                if (session.keep(scheduler)) {
                    return new ClusterLink(client, scheduler, joined, ticket);
                }
                failure = new PsException(Code.UNAVAILABLE, scheduler.name() + ": connection closed");
            } catch (PsException e) {
                failure = e;
            }
            client.disconnect(scheduler);
            if (failure.code() != Code.UNAVAILABLE || System.nanoTime() - deadline > 0) {
                throw failure;
            }
            LOG.warn("the connection to {} broke; joining again", scheduler.name());
            Session.pause(RETRY_NANOS);
        }
    }

    private static Peer connect(
            Client client, Transport transport, String host, int port, long deadline, Duration timeout) {
        boolean told = false;
        while (true) {
            try {
                return client.connect(transport, host, port, "scheduler (" + host + ":" + port + ")");
            } catch (PsException e) {
                if (!told) {
                    told = true;
                    LOG.info(
                            "looking for the scheduler at {}:{}, for {} s: {}",
                            host,
                            port,
                            timeout.toSeconds(),
                            e.detail());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new PsException(
                            Code.UNAVAILABLE,
                            "scheduler at " + host + ":" + port + ": not reached within " + timeout.toMillis() + " ms: "
                                    + e.detail(),
                            e);
                }
                Session.pause(RETRY_NANOS);
            }
        }
    }

    /** The rank that this node was given. */
    public int rank() {
        return joined.rank();
    }

    /** What this node proves its role and rank with. */
    public Ticket ticket() {
        return ticket;
    }

    /** What a server checks the tickets of others with. */
    public Tickets tickets() {
        return new Tickets(joined.cluster(), joined.key());
    }

    /** How long a node may stay silent before it counts as lost. */
    public Duration heartbeatLimit() {
        return Duration.ofMillis(joined.heartbeatMillis());
    }

    /** Every node but the scheduler, as the cluster began. */
    public List<Member> members() {
        return joined.members();
    }

    /** How many nodes of a role the cluster began with. */
    public int count(Role role) {
        return (int) joined.members().stream().filter(m -> m.role() == role).count();
    }

    /** Begins to send heartbeats, until the node leaves. */
    public void beat(Events events) {
        beatOn(1, events);
    }

    private void beat(long epoch, Events events) {
        if (left) {
            return;
        }
        // Longer than a broken connection may take to be replaced, which has the better reason to tell.
        long limit = TimeUnit.MILLISECONDS.toNanos(joined.heartbeatMillis()) / 2 * 3;
        client.callInBackground(BeatPsf.FUNCTION, new Beat.Request(epoch), scheduler, limit)
                .whenComplete((now, failure) -> {
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
                    if (now.epoch() != epoch) {
                        events.changed(now.members(), now.lost());
                    }
                    if (now.ended()) {
                        events.ended();
                    } else {
                        beatOn(now.epoch(), events);
                    }
                });
    }

    private void beatOn(long epoch, Events events) {
        try {
            beat(epoch, events);
        } catch (PsException e) {
            events.schedulerLost(e);
        }
    }

    /** The scheduler, as calls go to it. */
    public Peer scheduler() {
        return scheduler;
    }

    /** Leaves in order; quietly, if the scheduler is gone. */
    public void leave() {
        left = true;
        try {
            call(LeavePsf.FUNCTION, new Leave.Request(), GRACE);
        } catch (PsException e) {
            LOG.debug("leaving: {}", e.getMessage());
        } finally {
            client.disconnect(scheduler);
        }
    }

    /** Waits until every worker is here. */
    public void barrier(Duration limit) {
        call(BarrierPsf.FUNCTION, new Barrier.Request(), limit);
    }

    /** Makes a tensor known, and finds where its slices are. */
    public TensorLayout declare(
            TensorInfo info, int slices, @Nullable TensorId beside, String declaration, Duration limit) {
        Declare.Response placed = call(
                DeclarePsf.FUNCTION,
                new Declare.Request(
                        info.id().name(),
                        info.rows(),
                        info.width(),
                        slices,
                        beside == null ? "" : beside.name(),
                        declaration),
                limit);
        return layout(info, placed.bounds(), placed.servers(), placed.lanes());
    }

    /** Finds a tensor and where its slices are. */
    public TensorLayout layout(TensorId id, Duration limit) {
        Layout.Response found = call(LayoutPsf.FUNCTION, new Layout.Request(id.name()), limit);
        return layout(new TensorInfo(id, found.rows(), found.width()), found.bounds(), found.servers(), found.lanes());
    }

    /** Makes a tensor's name free again. */
    public void forget(TensorId id, Duration limit) {
        call(ForgetPsf.FUNCTION, new Forget.Request(id.name()), limit);
    }

    private static TensorLayout layout(TensorInfo info, long[] bounds, int[] servers, long lanes) {
        return new TensorLayout(
                info,
                Arrays.stream(bounds).boxed().toList(),
                Arrays.stream(servers).boxed().toList(),
                lanes);
    }

    private <Q, R> R call(Function<Q, R> function, Q request, Duration limit) {
        return client.callNodes(function, request, List.of(scheduler), limit.toNanos())
                .await();
    }
}
