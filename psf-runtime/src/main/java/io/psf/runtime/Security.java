package io.psf.runtime;

import org.jspecify.annotations.Nullable;

/**
 * How the nodes of a cluster trust each other; the same for all of them.
 *
 * @param secret the secret that every node has to have, at least 16 characters; null for none
 */
public record Security(@Nullable String secret) {
    /** Any node that reaches the scheduler may join. */
    public static final Security NONE = new Security(null);

    public Security {
        Checks.secret(secret);
    }

    @Override
    public String toString() { // without the secret
        return secret == null ? "no secret" : "a secret";
    }
}
