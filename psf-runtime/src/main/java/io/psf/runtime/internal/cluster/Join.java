package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
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
     * @param address where the node listens, and its names
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

        /** Returns the same with the names of a node. */
        public Request with(Names names) {
            Address named = new Address(address.host, address.port, names);
            return new Request(protocol, role, rank, named, session, credential);
        }

        /** Returns what the node calls its cluster and itself. */
        Names names() {
            return address.names;
        }

        /** True if the other request is of the same node in the same session. */
        boolean isOfSameNode(Request other) {
            return role == other.role
                    && rank == other.rank
                    && address.isSame(other.address)
                    && session == other.session;
        }
    }

    /**
     * Where a node is, and what it is called.
     *
     * @param host the host that a server listens on; empty for a worker and a client
     * @param port the port that a server listens on; 0 for a worker and a client
     * @param names what the node calls its cluster and itself
     */
    record Address(String host, int port, Names names) {
        /** Names and addresses of hosts that are safe to print in a log. */
        public static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,255}");

        /** The place of a node that expects any cluster. */
        public Address(String host, int port) {
            this(host, port, Names.NONE);
        }

        /** True for the place of the same node. The journal does not have what a node calls its cluster. */
        private boolean isSame(Address other) {
            return host.equals(other.host) && port == other.port && names.node.equals(other.names.node);
        }
    }

    /**
     * The names that a node has for its cluster and itself.
     *
     * @param cluster the name of the cluster that the node expects; empty for any
     * @param node the name of a worker, which takes the place of another one of that name; empty for none
     */
    record Names(String cluster, String node) {
        /** A node without a name, which expects any cluster. */
        public static final Names NONE = new Names("", "");

        /** The names that are allowed. */
        public static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

        /** The names that are allowed, for messages. */
        public static final String EXPECTED = "1 to 100 letters, digits, dots, dashes and underscores";
    }

    /**
     * The cluster.
     *
     * @param protocol what the node and the scheduler have in common
     * @param admission the node's place in the cluster
     * @param limits how long nodes may be missing
     * @param state the whole state of the cluster
     * @param keys what the node proves its role and rank with
     * @param rules what nodes may call, for a server; null if that is everything
     */
    record Response(
            Protocol protocol,
            Admission admission,
            Limits limits,
            ClusterChange state,
            Keys keys,
            @Nullable Rules rules) {
        /** Returns the ticket of the node that has joined. */
        Ticket ticket(Role role) {
            return new Ticket(role, admission.rank(), admission.since(), keys.cluster(), keys.ticket(), keys.grant());
        }
    }

    /**
     * How long nodes may be missing.
     *
     * @param heartbeatMillis how long a node may stay silent
     * @param schedulerMillis how long a node looks for a scheduler that it does not reach
     * @param serveMillis how long a server serves without an answer of the scheduler: then another one may have its
     *     place
     */
    record Limits(long heartbeatMillis, long schedulerMillis, long serveMillis) {
        /** Returns how long a node may stay silent before it counts as lost. */
        public Duration heartbeat() {
            return Duration.ofMillis(heartbeatMillis);
        }

        /** Returns how long a node looks for a scheduler that it does not reach. */
        public Duration scheduler() {
            return Duration.ofMillis(schedulerMillis);
        }

        /** Returns the time in which the loss of a server is known, also if the scheduler is away meanwhile. */
        public Duration loss() {
            Duration longest = heartbeat().compareTo(scheduler()) < 0 ? scheduler() : heartbeat();
            return longest.multipliedBy(3).dividedBy(2);
        }

        /** Returns how long a server serves without an answer of the scheduler. */
        public Duration serve() {
            return Duration.ofMillis(serveMillis);
        }
    }

    /**
     * The place of a node in the cluster.
     *
     * @param rank the assigned rank; the number of a client, which no other client of the cluster gets
     * @param since the epoch in which the node joined; 0 for a client
     * @param workers the number of workers for which the job was begun, or more if more have joined; higher than every
     *     worker's rank
     * @param late true for a worker that joins a job which is running already, and for a server in the place of a lost
     *     one
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
