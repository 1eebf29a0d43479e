package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Joins the cluster; answered when it is complete. */
@PsFunction(value = "psf.cluster.join", at = Place.SCHEDULER)
public interface Join {
    /**
     * Who joins.
     *
     * @param rank the rank asked for; -1 for any
     * @param host where the node listens; empty for a worker
     */
    record Request(Role role, int rank, String host, int port) {}

    /**
     * The cluster.
     *
     * @param rank the rank given
     * @param cluster a number that tells clusters apart
     * @param heartbeatMillis how long a node may stay silent
     * @param members every node but the scheduler
     */
    record Response(int rank, long cluster, long heartbeatMillis, List<Member> members) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}
