package io.psf.runtime.internal.transport.tls;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * What a node proves itself with, and checks its peers by.
 *
 * @param context with the node's certificate and its authorities
 * @param chain that certificate, and those between it and its authority
 */
record Credentials(SSLContext context, List<X509Certificate> chain) {
    /** Longer than a ticket may be valid: then the JDK issues none. A resumed session would check no certificate. */
    private static final int NO_TICKETS_SECONDS = (int) TimeUnit.DAYS.toSeconds(8);

    /**
     * Reads the files.
     *
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if one is not as expected
     */
    static Credentials read(Path certificate, Path key, Path authority) {
        Pem ofCertificate = Pem.read("PSF_TLS_CERTIFICATE", certificate);
        Pem ofKey = Pem.read("PSF_TLS_KEY", key);
        Pem ofAuthority = Pem.read("PSF_TLS_AUTHORITY", authority);
        X509Certificate[] chain = ofCertificate.certificates();
        PrivateKey secret = ofKey.key(chain[0].getPublicKey().getAlgorithm());
        X509Certificate[] authorities = ofAuthority.certificates();
        try {
            if (!belong(secret, chain[0].getPublicKey())) {
                throw ofKey.invalid(
                        "the key of another certificate", "the key of the first certificate in " + certificate, null);
            }
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    new KeyManager[] {new OneKey(chain, secret)},
                    new TrustManager[] {new PeerChecks(checks(authorities), authority)},
                    null);
            context.getServerSessionContext().setSessionTimeout(NO_TICKETS_SECONDS);
            return new Credentials(context, List.of(chain));
        } catch (GeneralSecurityException | IOException e) {
            throw ofCertificate.invalid(e.toString(), "a certificate that this JVM supports", e);
        }
    }

    /** Returns the node's certificate, for messages. */
    X509Certificate own() {
        return chain.get(0);
    }

    /**
     * Checks the time of the certificates.
     *
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if one is expired, or not valid yet
     */
    void requireValid(Path certificate) {
        for (X509Certificate each : chain) {
            try {
                each.checkValidity();
            } catch (CertificateException e) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "PSF_TLS_CERTIFICATE: " + certificate + ": " + Certificates.describe(each)
                                + " (expected: valid now)",
                        e);
            }
        }
    }

    private static X509ExtendedTrustManager checks(X509Certificate[] authorities)
            throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (int i = 0; i < authorities.length; i++) {
            trusted.setCertificateEntry("authority" + i, authorities[i]);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(trusted);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager found) {
                return found;
            }
        }
        throw new GeneralSecurityException("no checks of certificates (expected: the JDK's checks)");
    }

    private static boolean belong(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        byte[] text = "psf".getBytes(StandardCharsets.US_ASCII);
        Signature signature = signature(key.getAlgorithm());
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(text);
        return signature.verify(signed);
    }

    private static Signature signature(String algorithm) throws GeneralSecurityException {
        return switch (algorithm) {
            case "EC" -> Signature.getInstance("SHA256withECDSA");
            case "RSA" -> Signature.getInstance("SHA256withRSA");
            case "RSASSA-PSS" -> {
                Signature pss = Signature.getInstance(algorithm);
                pss.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
                yield pss;
            }
            default -> Signature.getInstance(algorithm);
        };
    }
}
