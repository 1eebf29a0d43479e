package io.psf.runtime;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the nodes of a cluster trust each other; the same for all of them.
 *
 * @param secret the secret that every node has to have, at least 16 characters; null for none
 * @param permissions the scheduler's file that says what nodes may call; null if every node may call everything, and at
 *     other nodes
 */
public record Security(@Nullable String secret, @Nullable Path permissions) {
    /** Any node that reaches the scheduler may join. */
    public static final Security NONE = new Security(null);

    public Security {
        Checks.secret(secret);
    }

    /** Creates the security of a node that is no scheduler, or of a scheduler without permissions. */
    public Security(@Nullable String secret) {
        this(secret, null);
    }

    Security withPermissions(Path file) {
        return new Security(secret, file);
    }

    @Override
    public String toString() { // without the secret
        return secret == null ? "no secret" : "a secret";
    }
}
