package io.psf.runtime.cluster;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.server.session.Connection;

/**
 * Who a node is, and how it checks who connects to it.
 *
 * @param role the role of the node
 * @param rank the rank of the node
 * @param tickets the tickets of its cluster
 * @param checks true if the frames of all connections have checksums, over a network
 */
public record Identity(Role role, int rank, Tickets tickets, boolean checks) {
    /** Verifies the identity of a connection's peer, and returns the protocol for the connection. */
    Protocol admit(Hello.Request hello, Connection connection) {
        Protocol own = checks ? Protocol.OWN.requiring(Protocol.CHECKSUM) : Protocol.OWN;
        Protocol agreed = own.agree(hello.protocol());
        tickets.require(hello, connection.takeChallenge(), role, rank);
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
