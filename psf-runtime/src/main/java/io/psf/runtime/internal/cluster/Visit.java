package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import io.psf.api.Since;
import io.psf.api.spi.NodeReport;
import java.util.List;

/**
 * Admits a guest, which is no member of the cluster: it has no rank, sends no heartbeats, and nobody waits for it. The
 * servers run functions for it that change nothing. Answered at once.
 */
@PsFunction(value = "psf.cluster.visit", at = Place.SCHEDULER)
public interface Visit {
    /**
     * The guest.
     *
     * @param guest the description of a worker without a rank, with the credential of a joining worker
     * @param reports true to ask the nodes for reports of their calls, which they send for the next half minute
     */
    record Request(Join.Request guest, @Since(2) boolean reports) {}

    /**
     * The cluster.
     *
     * @param protocol what the guest and the scheduler have in common
     * @param heartbeatMillis how long a node may stay silent
     * @param cluster its nodes
     * @param keys the secrets of a guest: a {@link Ticket} of rank {@link Ticket#GUEST}, and no key
     * @param reports the newest reports of the nodes; empty if the guest does not ask
     * @param events what has happened lately, the latest last
     */
    record Response(
            Protocol protocol,
            long heartbeatMillis,
            Cluster cluster,
            Join.Keys keys,
            @Since(2) List<Reported> reports,
            @Since(2) List<Event> events) {}

    /** The report of a node. */
    record Reported(Role role, int rank, NodeReport report) {}

    /**
     * What has happened to nodes or tensors.
     *
     * @param millis when, in milliseconds since 1970 by the scheduler's clock
     * @param kind such as {@code lost}
     * @param text of which nodes or tensors, and why
     */
    record Event(long millis, String kind, String text) {}

    /**
     * The nodes of a cluster.
     *
     * @param plan the cluster that the scheduler has formed
     * @param ageMillis the time since the cluster has formed, or since another scheduler took the place of the lost one
     * @param members every node that is present except the scheduler
     * @param lost the nodes that count as lost
     * @param models the models of whose checkpoints lost slices are loaded
     */
    record Cluster(
            Plan plan, long ageMillis, List<Member> members, List<ClusterChange.Loss> lost, List<String> models) {}

    /**
     * A cluster as it was planned.
     *
     * @param name the cluster's name; empty for none
     * @param service true if the cluster outlives its jobs
     * @param servers the number of servers that the cluster has when it is complete
     * @param workers the number of workers with which a job begins
     */
    record Plan(String name, boolean service, int servers, int workers) {}

    Response handle(Request request, Node scheduler);
}
