package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.NodeInfo;
import io.psf.api.Role;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that a node has received from the scheduler and with which it proves its role and rank to other nodes. The
 * secret itself is not sent to them.
 *
 * @param rank the rank; the number of a client
 * @param since the epoch in which the node joined, so that a ticket of a lost node is not valid for the next node of
 *     its rank; 0 for a client, a guest and the scheduler
 * @param secret [32] int8
 * @param grant what the scheduler has granted the node; covered by the secret; empty for nothing
 */
public record Ticket(Role role, int rank, long since, long cluster, byte[] secret, String grant) {
    /** The rank in the ticket of a guest, whose role is {@link Role#WORKER}. No member has this rank. */
    public static final int GUEST = -1;

    private static final String ALGORITHM = "HmacSHA256";

    /** Creates a ticket of a node that was granted nothing. */
    public Ticket(Role role, int rank, long since, long cluster, byte[] secret) {
        this(role, rank, since, cluster, secret, "");
    }

    /** Returns the node that has the ticket, as its listeners see it. */
    public NodeInfo info() {
        return new NodeInfo(role, rank, Long.toHexString(cluster));
    }

    /**
     * Returns the node's hello for a connection.
     *
     * @param host the node at the other end: a proof for one node is not valid at another
     * @param nonce the nonce of that node's {@link Challenge}
     */
    public Hello.Request hello(Member host, long session, int connection, byte[] nonce) {
        byte[] proof = proof(host.role(), host.rank(), session, connection, nonce);
        return new Hello.Request(
                Protocol.OWN,
                new Hello.Caller(role, rank, since, grant),
                cluster,
                new Hello.InSession(session, connection),
                proof);
    }

    byte[] proof(Role host, int hostRank, long session, int connection, byte[] nonce) {
        ByteBuffer said = ByteBuffer.allocate(5 * Integer.BYTES + 3 * Long.BYTES + nonce.length)
                .putInt(role.ordinal())
                .putInt(rank)
                .putLong(since)
                .putLong(cluster)
                .putLong(session)
                .putInt(connection)
                .putInt(host.ordinal())
                .putInt(hostRank)
                .put(nonce);
        return hmac(secret, said.array());
    }

    /** Computes HMAC (RFC 2104) with SHA-256. */
    static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + ": missing (expected: in every JDK)", e);
        }
    }

    @Override
    public String toString() { // without the secret
        return "ticket of " + role.label() + " " + rank;
    }
}
