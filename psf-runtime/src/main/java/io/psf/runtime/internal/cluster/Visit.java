package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
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
     * @param guest the description of a worker without a rank, with the credential of one that joins
     */
    record Request(Join.Request guest) {}

    /**
     * The cluster.
     *
     * @param protocol what the guest and the scheduler have in common
     * @param heartbeatMillis how long a node may stay silent
     * @param members every node except the scheduler
     * @param servers the number of servers that the cluster has when it is complete
     * @param keys the secrets of a guest: a {@link Ticket} of rank {@link Ticket#GUEST}, and no key
     */
    record Response(Protocol protocol, long heartbeatMillis, List<Member> members, int servers, Join.Keys keys) {}

    Response handle(Request request, Node scheduler);
}
