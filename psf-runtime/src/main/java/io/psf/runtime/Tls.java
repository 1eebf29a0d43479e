package io.psf.runtime;

import io.psf.runtime.internal.transport.tls.TlsFiles;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/**
 * The files by which a node proves itself to its peers and checks them (TLS 1.3, with certificates on both sides). They
 * are text in the PEM format, and are read again when they have changed, for the connections that follow.
 *
 * @param certificate the node's certificate, and those between it and its authority in this order; the hosts that other
 *     nodes connect to are among its subject alternative names, and it may serve for both ends of a connection
 * @param key the private key of the node's certificate, as unencrypted PKCS#8
 * @param authority the certificates of the authorities, one or more, that have issued the certificates of all nodes
 */
public record Tls(Path certificate, Path key, Path authority) {
    /**
     * Reads the files, for a server of another protocol, such as a dashboard by HTTPS.
     *
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if one is not as expected
     */
    public SSLContext context() {
        return new TlsFiles(certificate, key, authority).context();
    }
}
