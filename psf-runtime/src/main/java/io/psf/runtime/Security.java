package io.psf.runtime;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the nodes of a cluster trust each other; the same for all of them.
 *
 * @param secret the secret that every node has to have, at least 16 characters; null for none
 * @param tls the certificate of this node, and the authorities of all nodes; null for connections without TLS
 * @param permissions the scheduler's file that says what nodes may call; null if every node may call everything, and at
 *     other nodes
 * @param insecure true if a scheduler or server may listen beyond loopback without a secret and TLS: whoever reaches it
 *     may read and change the model
 * @param cluster the name of the cluster, 1 to 100 letters, digits, dots, dashes and underscores: a node that expects
 *     another name than the scheduler has is refused; empty for none, at the other nodes for any
 */
public record Security(
        @Nullable String secret,
        @Nullable Tls tls,
        @Nullable Path permissions,
        boolean insecure,
        String cluster) {
    /** Any node that reaches the scheduler may join. */
    public static final Security NONE = new Security(null);

    public Security {
        Checks.secret(secret);
        Checks.name("cluster", cluster);
    }

    /** Creates a security without TLS and permissions. */
    public Security(@Nullable String secret) {
        this(secret, null, null, false, "");
    }

    /** Returns a copy with another secret. */
    public Security withSecret(@Nullable String secret) {
        return new Security(secret, tls, permissions, insecure, cluster);
    }

    /** Returns a copy with TLS, which every node of the cluster has as well. */
    public Security withTls(@Nullable Tls tls) {
        return new Security(secret, tls, permissions, insecure, cluster);
    }

    /** Returns a copy with a file that says what nodes may call; for the scheduler. */
    public Security withPermissions(@Nullable Path file) {
        return new Security(secret, tls, file, insecure, cluster);
    }

    /** Returns a copy that trusts whoever reaches this node. */
    public Security asInsecure() {
        return new Security(secret, tls, permissions, true, cluster);
    }

    /** Returns a copy with the name of the cluster. */
    public Security withCluster(String name) {
        return new Security(secret, tls, permissions, insecure, name);
    }

    @Override
    public String toString() { // without the secret
        return (secret == null ? "no secret" : "a secret") + (tls == null ? "" : ", TLS");
    }
}
