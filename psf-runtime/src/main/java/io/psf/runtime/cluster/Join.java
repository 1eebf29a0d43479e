package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Joins the cluster. Answered when the cluster is complete. */
@PsFunction(value = "psf.cluster.join", at = Place.SCHEDULER)
public interface Join {
    /**
     * The node that joins.
     *
     * @param rank the requested rank; -1 for any
     * @param host the address that the node listens on; empty for a worker
     * @param session the number of the node's session with the scheduler, not 0; a node whose connection broke before
     *     the answer joins again with the same number and keeps its place
     */
    record Request(Role role, int rank, String host, int port, long session) {}

    /**
     * The cluster.
     *
     * @param rank the assigned rank
     * @param cluster a number that identifies the cluster
     * @param heartbeatMillis how long a node may stay silent
     * @param members every node except the scheduler
     * @param ticket [32] int8, the secret of the node's {@link Ticket}
     * @param key [32] int8, the key of the cluster's {@link Tickets}; empty for a worker
     */
    record Response(int rank, long cluster, long heartbeatMillis, List<Member> members, byte[] ticket, byte[] key) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}
