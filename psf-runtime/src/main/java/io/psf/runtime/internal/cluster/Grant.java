package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the scheduler has granted a node when it joined. Its text is part of the node's {@link Ticket} and hello.
 *
 * @param names the names of the rules that matched the node; empty for a cluster without rules
 * @param certificate the name in the node's certificate; empty for none
 */
record Grant(List<String> names, String certificate) {
    private static final char CERTIFICATE = '@';

    /** A node of a cluster without rules. */
    static final Grant NONE = new Grant(List.of(), "");

    /** Returns the grant of a text. */
    static Grant of(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        int at = text.indexOf(CERTIFICATE);
        String names = at < 0 ? text : text.substring(0, at);
        return new Grant(List.of(names.split(",")), at < 0 ? "" : text.substring(at + 1));
    }

    /** Returns the text: the names, and the certificate behind them. No name contains its separators. */
    String text() {
        return names.isEmpty()
                ? ""
                : String.join(",", names) + (certificate.isEmpty() ? "" : CERTIFICATE + certificate);
    }

    /**
     * Checks that the grant was given to the holder of the certificate.
     *
     * @param presented the name in the certificate of the connection; null for none
     */
    void requireCertificate(@Nullable String presented) {
        if (!names.isEmpty() && !certificate.equals(Objects.requireNonNullElse(presented, ""))) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "certificate of the connection: " + (presented == null ? "none" : presented)
                            + " (expected: the one that the node has joined with, " + certificate + ")");
        }
    }
}
