package io.psf.runtime.internal.transport.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;

/** Certificates and their failures in words. */
final class Certificates {
    private Certificates() {}

    /** Returns the subject and the time of a certificate. */
    static String describe(X509Certificate certificate) {
        return "the certificate of " + certificate.getSubjectX500Principal() + ", valid from "
                + certificate.getNotBefore().toInstant() + " to "
                + certificate.getNotAfter().toInstant();
    }

    /** True if a certificate of a chain is out of its time. */
    static boolean isExpired(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathValidatorException path
                    && (path.getReason() == BasicReason.EXPIRED || path.getReason() == BasicReason.NOT_YET_VALID)) {
                return true;
            }
        }
        return false;
    }

    /** True if no authority is known that has issued a certificate. */
    static boolean isUnknown(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathBuilderException
                    || cause instanceof CertPathValidatorException path
                            && (path.getReason() == PKIXReason.NO_TRUST_ANCHOR
                                    || path.getReason() == BasicReason.INVALID_SIGNATURE)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the message of the innermost cause. */
    static String last(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
