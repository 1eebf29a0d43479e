package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.server.session.Connection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The role and rank of a node, and its check of the nodes that connect to it.
 *
 * @param role the role of the node
 * @param rank the rank of the node
 * @param tickets the tickets of its cluster
 * @param checks true if the frames of all connections have checksums, over a network
 * @param view what the node knows of the cluster; null for the scheduler, and for a server without a cluster in tests
 */
public record Identity(
        Role role,
        int rank,
        Tickets tickets,
        boolean checks,
        @Nullable ClusterView view) {
    /**
     * Waits until the node knows the state that has the peer, and checks that the peer is the present node of its rank.
     *
     * @return fails with {@code CLOSED} if the scheduler counts the peer as lost
     */
    CompletableFuture<Void> requirePresent(Hello.Request hello) {
        if (view == null || hello.role() == Role.CLIENT || hello.rank() == Ticket.GUEST) {
            return CompletableFuture.completedFuture(null);
        }
        return view.reached(hello.since()).thenAccept(now -> {
            ClusterChange.Node found = now.node(hello.role(), hello.rank());
            if (found == null || found.since() != hello.since()) {
                throw new PsException(
                        PsException.Code.CLOSED,
                        hello.role().label() + " " + hello.rank() + ": "
                                + (found == null ? "not in the cluster any more" : "another node has this rank now")
                                + " (expected: a node that the scheduler has not counted as lost; start it again)");
            }
        });
    }

    /** Verifies the identity of a connection's peer, and returns the protocol for the connection. */
    Protocol admit(Hello.Request hello, Connection connection) {
        Protocol own = checks ? Protocol.OWN.requiring(Protocol.CHECKSUM) : Protocol.OWN;
        Protocol agreed = own.agree(hello.protocol());
        tickets.require(hello, connection.rights().challenge().getAndSet(null), role, rank);
        String certificate = connection.channel().certificate();
        boolean isOwn = hello.role() == role && hello.rank() == rank;
        if (!isOwn || certificate != null) { // the connection of a server to itself has none
            Grant.of(hello.grant()).requireCertificate(certificate);
        }
        connection.rights().prove(hello.grant());
        if (connection.member() != null) { // else sessions would accumulate that no connection ends
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "hello: a second one on this connection (expected: one)");
        }
        if (checks) {
            connection.channel().useChecksums();
        }
        return agreed;
    }
}
