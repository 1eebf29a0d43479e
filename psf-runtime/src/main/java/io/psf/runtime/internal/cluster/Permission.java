package io.psf.runtime.internal.cluster;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a file of permissions.
 *
 * @param token what a node has to have as its secret; null for none
 * @param certificate the pattern of the name in a node's certificate; null for none
 * @param rule what it allows, and to which roles
 */
record Permission(@Nullable String token, @Nullable String certificate, Rules.Rule rule) {
    String name() {
        return rule.name();
    }

    /**
     * True if the entry holds for a node.
     *
     * @param hasSecret true if the node has the secret of the cluster
     * @param hasToken true if it has the entry's token
     * @param presented the name in its certificate; null for none
     */
    boolean holds(String role, boolean hasSecret, boolean hasToken, @Nullable String presented) {
        boolean isOfAll = token == null && certificate == null;
        return rule.roles().contains(role)
                && (token == null || hasToken)
                && (certificate == null || presented != null && matches(certificate, presented))
                && (!isOfAll || hasSecret);
    }

    private static boolean matches(String pattern, String name) {
        String[] literals = pattern.split("\\*", -1);
        return name.matches(
                String.join(".*", List.of(literals).stream().map(Pattern::quote).toList()));
    }

    @Override
    public String toString() { // without the token
        return "permission " + name();
    }
}
