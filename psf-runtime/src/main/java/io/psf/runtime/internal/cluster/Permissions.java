package io.psf.runtime.internal.cluster;

import java.util.List;

/**
 * The content of a file of permissions.
 *
 * @param rules what servers know of them
 */
record Permissions(List<Permission> permissions, Rules rules) {
    Permissions {
        permissions = List.copyOf(permissions);
    }

    /** True if the file has secrets. */
    boolean hasTokens() {
        return permissions.stream().anyMatch(each -> each.token() != null);
    }

    @Override
    public String toString() { // without the tokens
        return permissions.size() + " entries: "
                + String.join(", ", permissions.stream().map(Permission::name).toList());
    }
}
