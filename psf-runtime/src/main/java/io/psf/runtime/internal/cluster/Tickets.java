package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Creates and checks the tickets of a cluster's nodes. The scheduler issues them and servers check them, with the same
 * key. Thread-safe.
 */
public final class Tickets {
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 16;

    private volatile Keys keys;

    private record Keys(long cluster, byte[] key) {}

    /**
     * Creates the tickets of an existing cluster.
     *
     * @param key [32] int8, from the scheduler
     */
    public Tickets(long cluster, byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new PsException(Code.PROTOCOL, "bytes of the cluster's key: " + key.length + " (expected: 32)");
        }
        this.keys = new Keys(cluster, key.clone());
    }

    private Tickets(Keys keys) {
        this.keys = keys;
    }

    /** Returns the tickets of a new cluster. */
    public static Tickets fresh() {
        return new Tickets(freshKeys());
    }

    private static Keys freshKeys() {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return new Keys(random.nextLong(), key);
    }

    /** Makes these the tickets of a new cluster: tickets that were issued are worthless from now on. */
    void renew() {
        keys = freshKeys();
    }

    /** Returns the number that identifies the cluster. */
    public long cluster() {
        return keys.cluster();
    }

    /** Returns the key, for servers. */
    byte[] key() {
        return keys.key().clone();
    }

    /**
     * Returns the ticket of a node.
     *
     * @param since the epoch in which the node joined; 0 for a client, a guest and the scheduler
     */
    public Ticket of(Role role, int rank, long since) {
        return of(role, rank, since, "");
    }

    /**
     * Returns the ticket of a node that was granted something.
     *
     * @param grant empty for nothing
     */
    Ticket of(Role role, int rank, long since, String grant) {
        Keys now = keys;
        byte[] granted = grant.getBytes(StandardCharsets.UTF_8);
        ByteBuffer member = ByteBuffer.allocate(2 * Integer.BYTES + 2 * Long.BYTES + granted.length)
                .putInt(role.ordinal())
                .putInt(rank)
                .putLong(since)
                .putLong(now.cluster())
                .put(granted);
        return new Ticket(role, rank, since, now.cluster(), Ticket.hmac(now.key(), member.array()), grant);
    }

    /** Returns a random nonce for the next hello. */
    static byte[] nonce(SecureRandom random) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    /**
     * Verifies a hello.
     *
     * @param nonce the nonce that was sent on the connection; null for none
     * @param host the role of the node that received the hello
     * @param rank the rank of that node
     * @throws PsException with {@code BAD_REQUEST} if the caller is not the node that it claims to be
     */
    void require(Hello.Request hello, byte @Nullable [] nonce, Role host, int rank) {
        if (hello.cluster() != cluster()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "cluster: " + Long.toHexString(hello.cluster()) + " (expected: the one that this node belongs to)");
        }
        if (nonce == null) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "hello: without a challenge (expected: psf.connection.challenge before it, on the same connection)");
        }
        byte[] expected = of(hello.role(), hello.rank(), hello.since(), hello.grant())
                .proof(host, rank, hello.session().session(), hello.session().connection(), nonce);
        if (!MessageDigest.isEqual(expected, hello.proof())) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "proof of " + hello.role().label() + " " + hello.rank()
                            + ": wrong (expected: made with the ticket that the scheduler gave to that node)");
        }
    }
}
