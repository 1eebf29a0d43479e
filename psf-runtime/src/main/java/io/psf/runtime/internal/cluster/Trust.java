package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which nodes may join a cluster, and what they may call. Used on the scheduler's lane. */
public final class Trust {
    private final String cluster;
    private final SharedSecret secret;
    private final @Nullable PermissionsFile file;

    private Trust(String cluster, @Nullable String secret, @Nullable PermissionsFile file) {
        this.cluster = cluster;
        this.secret = new SharedSecret(secret);
        this.file = file;
    }

    /** Reads what nodes may call, of a cluster without a name. */
    public static Trust of(@Nullable String secret, @Nullable Path permissions) {
        return of("", secret, permissions);
    }

    /**
     * Reads what nodes may call.
     *
     * @param cluster the name of the cluster; empty for none
     * @param secret the secret of the cluster; null for none
     * @param permissions the file; null if all nodes may call everything
     * @throws PsException with {@code CONFIGURATION} if the file cannot be read, or is wrong
     */
    public static Trust of(String cluster, @Nullable String secret, @Nullable Path permissions) {
        return new Trust(
                cluster, secret, permissions == null ? null : PermissionsFile.read(permissions, secret != null));
    }

    /**
     * Checks that a node expects this cluster, or any.
     *
     * @throws PsException with {@code BAD_REQUEST} if it expects one of another name
     */
    void requireCluster(Join.Request request) {
        String expected = request.names().cluster();
        if (!expected.isEmpty() && !expected.equals(cluster)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "cluster of this " + request.role().label() + ": \"" + expected + "\" (expected: "
                            + (cluster.isEmpty() ? "none, since this scheduler's has no name" : "\"" + cluster + '"')
                            + "; is PSF_SCHEDULER the address of another cluster than PSF_CLUSTER?)");
        }
    }

    /** Returns the name of the cluster; empty for none. */
    String cluster() {
        return cluster;
    }

    /** Returns what nodes may call. */
    Rules rules() {
        return file == null ? Rules.NONE : file.now().rules();
    }

    /** Reads the file again if it has changed; true if what nodes may call has changed with it. */
    boolean hasChanged() {
        return file != null && file.hasChanged();
    }

    /**
     * Checks that a node may join.
     *
     * @param nonce the nonce that was sent on the connection; null for none
     * @param certificate the name in the certificate of the connection; null for none
     * @param role the label of its role
     * @return the text of its {@link Grant}
     * @throws PsException with {@code BAD_REQUEST} if its credential is wrong; with {@code PERMISSION_DENIED} if no
     *     rule holds for it
     */
    String require(Join.Request request, byte @Nullable [] nonce, @Nullable String certificate, String role) {
        if (file == null) {
            secret.require(request, nonce);
            return "";
        }
        List<Permission> all = file.now().permissions();
        boolean hasSecret = secret.exists() && isMadeWith(secret, request, nonce);
        boolean hasToken = false;
        List<String> names = new ArrayList<>();
        for (Permission each : all) { // every one: the time says nothing about which of them has matched
            boolean token = each.token() != null && isMadeWith(new SharedSecret(each.token()), request, nonce);
            hasToken |= token;
            if (each.holds(role, hasSecret, token, certificate)) {
                names.add(each.name());
            }
        }
        if (!hasSecret && !hasToken) {
            boolean mayHaveNone = !secret.exists() && request.credential().length == 0;
            if (!mayHaveNone) {
                throw new PsException(
                        Code.BAD_REQUEST,
                        "credential of a " + role + ": " + (request.credential().length == 0 ? "none" : "wrong")
                                + " (expected: made with the secret of the cluster, or a token of PSF_PERMISSIONS,"
                                + " in the node's PSF_SECRET)");
            }
        }
        if (names.isEmpty()) {
            throw new PsException(
                    Code.PERMISSION_DENIED,
                    "role: " + role + (certificate == null ? "" : ", certificate: " + certificate)
                            + " (expected: a rule of PSF_PERMISSIONS that allows it to this node)");
        }
        return new Grant(names, certificate == null ? "" : certificate).text();
    }

    private static boolean isMadeWith(SharedSecret secret, Join.Request request, byte @Nullable [] nonce) {
        return nonce != null && MessageDigest.isEqual(secret.credential(request, nonce), request.credential());
    }
}
