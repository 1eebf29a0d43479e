package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Joins the cluster. Answered when the cluster is complete; a worker that joins a running cluster, and a client, are
 * answered at once.
 */
@PsFunction(value = "psf.cluster.join", at = Place.SCHEDULER)
public interface Join {
    /**
     * The node that joins.
     *
     * @param protocol the versions of the protocol that the node speaks
     * @param role the role of the node
     * @param rank the requested rank; -1 for any; -1 for a client
     * @param address the address that the node listens on; empty for a worker and a client
     * @param session the number of the node's session with the scheduler, not 0; a node whose connection broke before
     *     the answer joins again with the same number and keeps its place
     * @param credential made from the cluster's secret, the scheduler's {@link Challenge} and the above; empty if the
     *     cluster has no secret
     */
    record Request(Protocol protocol, Role role, int rank, Address address, long session, byte[] credential) {
        /** Returns the request of a node without a credential, in a session of its own. */
        public static Request of(Role role, int rank, String host, int port) {
            return new Request(
                    Protocol.OWN, role, rank, new Address(host, port), Hello.InSession.number(), new byte[0]);
        }

        Request with(byte[] credential) {
            return new Request(protocol, role, rank, address, session, credential);
        }

        /** True if the other request is of the same node in the same session. */
        boolean isOfSameNode(Request other) {
            return role == other.role
                    && rank == other.rank
                    && address.equals(other.address)
                    && session == other.session;
        }
    }

    /** Where a node listens: a host and a port; empty and 0 for a worker and a client. */
    record Address(String host, int port) {}

    /**
     * The cluster.
     *
     * @param protocol what the node and the scheduler have in common
     * @param admission the node's place in the cluster
     * @param heartbeatMillis how long a node may stay silent
     * @param state the whole state of the cluster
     * @param keys what the node proves its role and rank with
     * @param rules what nodes may call, for a server; null if that is everything
     */
    record Response(
            Protocol protocol,
            Admission admission,
            long heartbeatMillis,
            ClusterChange state,
            Keys keys,
            @Nullable Rules rules) {
        /** Returns the ticket of the node that has joined. */
        Ticket ticket(Role role) {
            return new Ticket(role, admission.rank(), admission.since(), keys.cluster(), keys.ticket(), keys.grant());
        }
    }

    /**
     * The place of a node in the cluster.
     *
     * @param rank the assigned rank; the number of a client, which no other client of the cluster gets
     * @param since the epoch in which the node joined; 0 for a client
     * @param workers the number of workers for which the job was begun, or more if more have joined; higher than every
     *     worker's rank
     * @param late true for a worker that joins a job which is running already, and for a server in the place of a lost one
     * @param serversReturn true if lost servers are expected back
     */
    record Admission(int rank, long since, int workers, boolean late, boolean serversReturn) {}

    /**
     * The secrets of a node.
     *
     * @param cluster a number that identifies the cluster
     * @param ticket [32] int8, the secret of the node's {@link Ticket}
     * @param key [32] int8, the key of the cluster's {@link Tickets}; empty for a worker
     * @param grant what the node says in its hellos with the ticket; empty for nothing
     */
    record Keys(long cluster, byte[] ticket, byte[] key, String grant) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}
