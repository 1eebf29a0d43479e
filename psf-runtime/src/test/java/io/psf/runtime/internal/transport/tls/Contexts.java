package io.psf.runtime.internal.transport.tls;

import io.psf.runtime.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** What the tests of other packages use of TLS. */
public final class Contexts {
    private Contexts() {}

    /** Returns the context of a peer that tests what others do. */
    public static SSLContext of(Tls tls) {
        return Credentials.read(tls.certificate(), tls.key(), tls.authority()).context();
    }

    /** Returns the engines of a node. */
    public static TlsFiles engines(Tls tls) {
        return new TlsFiles(tls.certificate(), tls.key(), tls.authority());
    }

    /** Connects a peer and shakes hands. */
    public static SSLSocket connect(SSLContext context, int port) {
        try {
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
