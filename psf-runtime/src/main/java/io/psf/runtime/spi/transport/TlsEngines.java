package io.psf.runtime.spi.transport;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Makes the engines of a node's connections over TLS 1.3, with certificates on both sides. Thread-safe. */
public interface TlsEngines {
    /** The names of the settings that a node with TLS has, for messages. */
    String SETTINGS = "PSF_TLS_CERTIFICATE, PSF_TLS_KEY and PSF_TLS_AUTHORITY";

    /** Returns the engine of a connection that this side makes, to a peer whose certificate is for that host. */
    SSLEngine connecting(String host, int port);

    /** Returns the engine of a connection that a peer has made. */
    SSLEngine accepting();

    /** Returns the failure of an engine, with a sentence that names its cause. */
    TlsFailure failure(Exception cause);

    /**
     * Returns the name in the certificate of an engine's peer: the CN of its subject, else the first DNS name among its
     * alternative names, else the whole subject. Characters that could spoil a line of a log are escaped.
     */
    static String peerName(SSLEngine engine) throws TlsFailure {
        try {
            Certificate[] chain = engine.getSession().getPeerCertificates();
            return PeerText.safe(name((X509Certificate) chain[0]));
        } catch (SSLPeerUnverifiedException e) {
            throw new TlsFailure("the other end has no certificate", e);
        }
    }

    private static String name(X509Certificate certificate) {
        String subject = certificate.getSubjectX500Principal().getName();
        try {
            List<Rdn> parts = new LdapName(subject).getRdns();
            for (int i = parts.size() - 1; i >= 0; i--) {
                if (parts.get(i).getType().equalsIgnoreCase("CN")) {
                    return parts.get(i).getValue().toString();
                }
            }
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                for (List<?> alternative : alternatives) {
                    if (alternative.get(0).equals(2)) { // dNSName
                        return alternative.get(1).toString();
                    }
                }
            }
        } catch (InvalidNameException | CertificateParsingException e) {
            return subject;
        }
        return subject;
    }
}
