package io.psf.runtime.internal.transport.tls;

import io.psf.runtime.spi.transport.TlsEngines;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.BadPaddingException;
import org.jspecify.annotations.Nullable;

/** The failures of the JDK's engine in sentences. */
final class Causes {
    private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)");
    private static final Pattern OLD = Pattern.compile("protocol.*\\b(TLSv?1\\.?[0-2]?|SSLv?\\d)\\b");

    private Causes() {}

    /**
     * Returns the cause of a failure.
     *
     * @param own this node's certificate
     * @param authority the file of its authorities
     */
    static String sentence(Exception failure, X509Certificate own, Path authority) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PeerChecks.Refused refused) {
                return String.valueOf(refused.getMessage());
            }
            if (cause instanceof BadPaddingException) {
                return "a record was damaged on the way (expected: what the other end has sent)";
            }
        }
        String message = String.valueOf(failure.getMessage());
        Matcher alert = ALERT.matcher(message);
        if (alert.find()) {
            return ofAlert(alert.group(1), own);
        }
        Matcher old = OLD.matcher(message);
        if (old.find()) {
            return "the other end speaks " + old.group(1) + " (expected: TLS 1.3)";
        }
        if (message.contains("Empty client certificate chain")) {
            return "the other end has no certificate (expected: one of an authority in " + authority + ")";
        }
        if (message.contains("Unsupported or unrecognized SSL message") || message.contains("plaintext connection")) {
            return "the other end does not speak TLS (expected: a node with " + TlsEngines.SETTINGS + ")";
        }
        return message;
    }

    private static String ofAlert(String alert, X509Certificate own) {
        String why = why(alert, own);
        if (why != null) {
            return "the other end refuses " + Certificates.describe(own) + ": " + why + " (alert " + alert + ")";
        }
        return switch (alert) {
            case "protocol_version" -> "the other end has no TLS 1.3 (alert protocol_version)";
            case "handshake_failure" ->
                "the other end shares no cipher or signature with this node (alert " + alert + ")";
            default -> "the other end ended the connection: alert " + alert;
        };
    }

    /** Returns why a peer refuses this node's certificate; null for another alert. */
    private static @Nullable String why(String alert, X509Certificate own) {
        return switch (alert) {
            case "certificate_expired" -> "it is expired by the clock there";
            case "unknown_ca" -> "no authority there has issued it";
            case "certificate_revoked" -> "it is revoked";
            case "unsupported_certificate" -> "its kind is not supported there";
            case "certificate_required" -> "it has arrived as none";
            case "bad_certificate", "certificate_unknown", "access_denied" ->
                isExpired(own) ? "it is expired" : "the log there says why";
            default -> null;
        };
    }

    private static boolean isExpired(X509Certificate own) {
        return own.getNotAfter().toInstant().isBefore(Instant.now());
    }
}
