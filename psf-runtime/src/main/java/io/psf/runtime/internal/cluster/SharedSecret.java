package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The secret of a cluster. A node that joins proves that it has the secret, by a credential for the scheduler's
 * challenge; the secret itself is not sent. Thread-safe.
 */
final class SharedSecret {
    private static final byte[] NO_CREDENTIAL = {};

    private final byte @Nullable [] key;

    /**
     * Creates a secret.
     *
     * @param secret null if the cluster has none
     */
    SharedSecret(@Nullable String secret) {
        this.key = secret == null ? null : secret.getBytes(StandardCharsets.UTF_8);
    }

    /** True if the cluster has a secret. */
    boolean exists() {
        return key != null;
    }

    /**
     * Returns the credential of a node: [32] int8, or empty if the cluster has no secret.
     *
     * @param nonce the nonce of the scheduler's {@link Challenge}
     */
    byte[] credential(Join.Request join, byte[] nonce) {
        if (key == null) {
            return NO_CREDENTIAL;
        }
        ByteBuffer said = ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + nonce.length)
                .putInt(join.role().ordinal())
                .putInt(join.rank())
                .putLong(join.session())
                .put(nonce);
        return Ticket.hmac(key, said.array());
    }

    /**
     * Verifies the credential of a node.
     *
     * @param nonce the nonce that was sent on the connection; null for none
     * @throws PsException with {@code BAD_REQUEST} if the credential was not made with this secret
     */
    void require(Join.Request join, byte @Nullable [] nonce) {
        if (key == null && join.credential().length > 0) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "credential of a " + join.role().label() + ": " + join.credential().length
                            + " bytes (expected: none, since the scheduler has no secret)");
        }
        if (key != null && (nonce == null || !MessageDigest.isEqual(credential(join, nonce), join.credential()))) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "credential of a " + join.role().label() + ": " + (join.credential().length == 0 ? "none" : "wrong")
                            + " (expected: made with the secret of the cluster, PSF_SECRET)");
        }
    }
}
