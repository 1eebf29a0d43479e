package io.psf.runtime.internal.transport.tls;

import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Checks the certificates of peers, as the JDK does. A refusal says in one sentence which certificate it is and why.
 */
final class PeerChecks extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager checks;
    private final Path authority;

    /**
     * Creates the checks.
     *
     * @param checks the checks of the JDK
     * @param authority the file of the authorities, for messages
     */
    PeerChecks(X509ExtendedTrustManager checks, Path authority) {
        this.checks = checks;
        this.authority = authority;
    }

    /** A certificate that is refused; the message is a sentence. */
    static final class Refused extends CertificateException {
        private static final long serialVersionUID = 1;

        Refused(String sentence, Throwable cause) {
            super(sentence, cause);
        }
    }

    @FunctionalInterface
    private interface Check {
        void run() throws CertificateException;
    }

    /**
     * Runs the check of a chain.
     *
     * @param withoutHost the same without a check of the host
     */
    private void check(X509Certificate[] chain, @Nullable String host, Check all, Check withoutHost)
            throws CertificateException {
        X509Certificate own = chain[0];
        String which = Certificates.describe(own);
        try {
            own.checkValidity();
        } catch (CertificateExpiredException e) {
            throw new Refused(which + ": expired (expected: a valid one)", expired(e));
        } catch (CertificateNotYetValidException e) {
            throw new Refused(which + ": not yet valid (expected: a valid one; do the clocks agree?)", e);
        }
        try {
            all.run();
        } catch (CertificateException e) {
            throw new Refused(which + ": " + why(own, host, e, withoutHost), e);
        }
    }

    /** Returns a cause that the JDK tells the peer by an alert of its own. */
    private static CertPathValidatorException expired(CertificateExpiredException e) {
        return new CertPathValidatorException("expired", e, null, -1, BasicReason.EXPIRED);
    }

    private String why(X509Certificate own, @Nullable String host, CertificateException e, Check withoutHost) {
        try {
            withoutHost.run();
        } catch (CertificateException untrusted) {
            return Certificates.isExpired(untrusted)
                    ? "an authority of it is expired or not yet valid (expected: a valid one in " + authority + ")"
                    : Certificates.isUnknown(untrusted)
                            ? "not issued by an authority in " + authority + ", but by " + own.getIssuerX500Principal()
                                    + " (expected: an authority of the cluster)"
                            : Certificates.last(untrusted);
        }
        return host == null
                ? Certificates.last(e)
                : "for " + names(own) + " (expected: the host that this node connects to, " + host + ")";
    }

    private static String names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? "no subject alternative name"
                    : names.stream().map(name -> String.valueOf(name.get(1))).collect(Collectors.joining(", "));
        } catch (CertificateParsingException e) {
            return "subject alternative names that cannot be read";
        }
    }

    private static @Nullable String host(@Nullable SSLEngine engine) {
        return engine == null || engine.getSSLParameters().getEndpointIdentificationAlgorithm() == null
                ? null
                : engine.getPeerHost();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(
                chain,
                null,
                () -> checks.checkClientTrusted(chain, type, engine),
                () -> checks.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(
                chain,
                host(engine),
                () -> checks.checkServerTrusted(chain, type, engine),
                () -> checks.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(
                chain,
                null,
                () -> checks.checkClientTrusted(chain, type, socket),
                () -> checks.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        String host = socket instanceof SSLSocket tls && tls.getHandshakeSession() != null
                ? tls.getHandshakeSession().getPeerHost()
                : null;
        check(
                chain,
                host,
                () -> checks.checkServerTrusted(chain, type, socket),
                () -> checks.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, null, () -> checks.checkClientTrusted(chain, type), () -> checks.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, null, () -> checks.checkServerTrusted(chain, type), () -> checks.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return checks.getAcceptedIssuers();
    }
}
