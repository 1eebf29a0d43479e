package io.psf.runtime;

import org.jspecify.annotations.Nullable;

/**
 * How the nodes of a cluster trust each other; the same for all of them.
 *
 * @param secret the secret that every node has to have, at least 16 characters; null for none
 * @param tls the certificate of this node, and the authorities of all nodes; null for connections without TLS
 * @param insecure true if a scheduler or server may listen beyond loopback without a secret and TLS: whoever reaches it may read
 *     and change the model
 */
public record Security(@Nullable String secret, @Nullable Tls tls, boolean insecure) {
    /** Any node that reaches the scheduler may join. */
    public static final Security NONE = new Security(null);

    public Security {
        Checks.secret(secret);
    }

    /** Creates a security without TLS. */
    public Security(@Nullable String secret) {
        this(secret, null, false);
    }

    /** Returns a copy with another secret. */
    public Security withSecret(@Nullable String secret) {
        return new Security(secret, tls, insecure);
    }

    /** Returns a copy with TLS, which every node of the cluster has as well. */
    public Security withTls(@Nullable Tls tls) {
        return new Security(secret, tls, insecure);
    }

    /** Returns a copy that trusts whoever reaches this node. */
    public Security asInsecure() {
        return new Security(secret, tls, true);
    }

    @Override
    public String toString() { // without the secret
        return (secret == null ? "no secret" : "a secret") + (tls == null ? "" : ", TLS");
    }
}
