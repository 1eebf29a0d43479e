package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.NodeReport;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.GuestLink;
import io.psf.runtime.internal.cluster.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Inspects a running cluster without being a member of it. A guest has no rank, no round or barrier waits for it, and
 * the end of the job does not depend on it. It calls functions at {@link Place#SERVER} that change nothing, such as the
 * functions of {@code Tensors.list} and {@code Statistics.of}; a server refuses others. A call fails if its connection
 * breaks. Thread-safe.
 */
public final class Guest implements FunctionCaller, AutoCloseable {
    private final WorkerConfig config;
    private final NodeResources node;
    private final CallClient client;
    private final GuestLink link;
    private final List<Peer> servers = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Guest(WorkerConfig config, NodeResources node, boolean asks) {
        this.config = config;
        this.node = node;
        this.client = node.client();
        this.link = visit(asks);
        Duration timeout = config.join().timeout();
        for (Member member : link.cluster().members()) {
            if (member.role() == Role.SERVER) {
                Peer server = Session.without(client, node.transport(), member, link.ticket(), timeout);
                node.sender((AutoCloseable) () -> client.disconnect(server));
                server.keepAlive(link.heartbeatLimit().toNanos());
                servers.add(server);
            }
        }
        node.started(link.ticket().info(), this::members);
    }

    private GuestLink visit(boolean asks) {
        JoinConfig join = config.join();
        return GuestLink.visit(
                client,
                node.transport(),
                join.scheduler(),
                join.said(),
                join.security().secret(),
                asks,
                join.timeout());
    }

    /**
     * Visits a cluster. Does not wait for a cluster that is not complete.
     *
     * @param config the configuration of a worker, whose rank is ignored
     * @throws PsException with {@code UNAVAILABLE} if the scheduler or a server is not reached, or the cluster is not
     *     complete; with {@code BAD_REQUEST} if the secret is wrong
     */
    public static Guest visit(WorkerConfig config) {
        return visit(config, false);
    }

    /**
     * As {@link #visit(WorkerConfig)}, and asks the nodes for reports. A node begins to count its calls when it is
     * first asked, and then reports once a second, until half a minute after the last guest has asked.
     */
    public static Guest asking(WorkerConfig config) {
        return visit(config, true);
    }

    private static Guest visit(WorkerConfig config, boolean asks) {
        NodeResources node = new NodeResources(
                "psf-guest",
                Network.open(config.transport(), Defaults.pool(), config.join().security()));
        return node.start(() -> new Guest(config, node, asks));
    }

    /** Returns the members of the cluster at the time of the visit: every node except the scheduler. */
    public List<Member> members() {
        return link.cluster().members();
    }

    /** Returns the nodes of the cluster at the time of the visit, present and lost. */
    public ClusterSummary cluster() {
        return ClusterSummary.of(link);
    }

    /**
     * Returns the nodes of the cluster now. Blocks until the scheduler has answered. This guest goes on with the servers
     * of its visit: another visit has those of now.
     *
     * @throws PsException as {@link #visit(WorkerConfig)}
     */
    public ClusterSummary look() {
        return ClusterSummary.of(visit(false));
    }

    /**
     * Returns what the calls of the nodes of a role had taken at the time of the visit, by rank: of the nodes that have
     * reported. Empty unless this guest {@link #asking asks}, and at the first visit.
     */
    public SortedMap<Integer, NodeReport> reports(Role role) {
        SortedMap<Integer, NodeReport> reports = new TreeMap<>();
        link.reports().stream()
                .filter(each -> each.role() == role)
                .forEach(each -> reports.put(each.rank(), each.report()));
        return reports;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        if (closed.get()) {
            throw new PsException(Code.CLOSED, "guest: closed");
        }
        if (function.info().place() != Place.SERVER) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "place of \"" + function.info().name() + "\": "
                            + function.info().place() + " (expected: SERVER, since a guest calls it)");
        }
        if (function.ownerKey(request).isPresent()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "layout of \"" + function.info().name()
                            + "\": a key selects the server (expected: a function of all servers, since a guest does"
                            + " not know which servers were lost)");
        }
        CallLimits limits =
                CallLimits.of((options.deadline() == null ? config.deadline() : options.deadline()).toNanos());
        return client.start(client.onNodes(function, request, servers, limits));
    }

    /** Ends the visit. Its calls without an answer fail. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            client.failForeground(new PsException(Code.CLOSED, "guest: closed before the answer arrived"));
            node.close();
        }
    }
}
