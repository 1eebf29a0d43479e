package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.TestTls;
import io.psf.runtime.Tls;
import io.psf.runtime.internal.transport.tls.Contexts;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.TlsEngines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that are refused: each gets to know why in a sentence. */
@Timeout(60)
final class TlsRefusalsTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final CompletableFuture<PsException> closed = new CompletableFuture<>();
    private final NetTransport here = transport(Contexts.engines(TestTls.NODE));

    private NetTransport transport(@Nullable TlsEngines tls) {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual(), false, tls);
    }

    @AfterEach
    void close() {
        here.close();
    }

    private class Told implements Receiver {
        @Override
        public void received(Channel channel, Frame frame) {
            if (frame.kind() == Frame.Kind.ANSWER) {
                closed.complete(
                        new PsException(frame.status(), frame.reader(null).string()));
            }
            frame.release();
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            closed.complete(cause);
        }
    }

    private int listens(NetTransport transport) {
        return transport
                .listen("127.0.0.1", 0, each -> new Told() {
                    @Override
                    public void closed(Channel channel, PsException cause) {} // the other end's is looked at
                })
                .port();
    }

    /** Returns what a node learns when it connects, at the latest from its first frame. */
    private PsException refusal(@Nullable TlsEngines tls, int port) throws Exception {
        try (NetTransport other = transport(tls)) {
            Channel channel = other.connect("127.0.0.1", port, each -> new Told());
            channel.offer(Frames.ping(pool));
            return closed.get();
        } catch (PsException e) {
            return e;
        }
    }

    private static Tls issued(String name, String extension, String... more) throws IOException {
        return TestTls.of(TestTls.AUTHORITY.issue(name, extension, more));
    }

    @Test
    void aNodeOfAnotherAuthorityIsRefusedByBothEnds() throws Exception {
        TlsAuthority other = TestTls.authority("others");
        Tls stranger = TestTls.of(other.issue("stranger"));
        assertThat(refusal(Contexts.engines(stranger), listens(here)))
                .hasMessageContaining("the certificate of CN=node")
                .hasMessageContaining("not issued by an authority in")
                .hasMessageContaining("CN=psf-tests")
                .extracting(PsException::code)
                .isEqualTo(Code.UNAVAILABLE);
        // It accepts the others, and is refused by them.
        Tls both = new Tls(stranger.certificate(), stranger.key(), TestTls.AUTHORITY.certificate());
        assertThat(refusal(Contexts.engines(both), listens(here)))
                .hasMessageContaining("TLS: the other end refuses the certificate of CN=stranger, valid from 2")
                .extracting(PsException::code)
                .isEqualTo(Code.UNAVAILABLE);
    }

    @Test
    void aCertificateOutOfItsTimeIsRefused() throws Exception {
        String names = "san=ip:127.0.0.1";
        Tls expired = issued("old", names, "-startdate", "-10d", "-validity", "5");
        assertThat(refusal(Contexts.engines(expired), listens(here)))
                .hasMessageContaining("the other end refuses the certificate of CN=old, valid from 2")
                .hasMessageContaining(": it is expired");
        Tls early = issued("early", names, "-startdate", "+10d", "-validity", "5");
        try (NetTransport soon = transport(Contexts.engines(early))) {
            assertThat(refusal(Contexts.engines(TestTls.NODE), listens(soon)))
                    .hasMessageContaining("the certificate of CN=early, valid from 2")
                    .hasMessageContaining("not yet valid");
        }
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
        Tls elsewhere = issued("elsewhere", "san=ip:10.1.2.3,dns:node7.example", "-validity", "5");
        try (NetTransport there = transport(Contexts.engines(elsewhere))) {
            assertThat(refusal(Contexts.engines(TestTls.NODE), listens(there)))
                    .hasMessageContaining("the certificate of CN=elsewhere")
                    .hasMessageContaining("for 10.1.2.3, node7.example (expected: the host that this node connects to,"
                            + " 127.0.0.1)");
        }
    }

    @Test
    void aNodeWithoutTlsIsToldThatItIsRequired() throws Exception {
        assertThat(refusal(null, listens(here)))
                .hasMessageContaining("this node requires TLS (expected: PSF_TLS_CERTIFICATE, PSF_TLS_KEY and"
                        + " PSF_TLS_AUTHORITY at the other end, too)");
    }

    @Test
    void aNodeWithTlsIsToldThatTheOtherEndHasNone() throws Exception {
        try (NetTransport plain = transport(null)) {
            int port = listens(plain);
            assertThat(refusal(Contexts.engines(TestTls.NODE), port))
                    .hasMessageContaining("the other end does not speak TLS")
                    .extracting(PsException::code)
                    .isEqualTo(Code.UNAVAILABLE);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write(new byte[] {0x16, 3, 1, 1, 0, 1, 0, 0});
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .contains("TLS, but this node has none (expected: a connection without TLS, or PSF_TLS_");
            }
        }
    }

    @Test
    void junkIsCutOff() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listens(here))) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
        }
    }

    private static SSLContext trusting() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        TrustManager all = new X509TrustManager() {
            @Override
            public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

            @Override
            public java.security.cert.X509Certificate[] getAcceptedIssuers() {
                return new java.security.cert.X509Certificate[0];
            }
        };
        context.init(null, new TrustManager[] {all}, new SecureRandom());
        return context;
    }

    @Test
    void aPeerWithoutACertificateIsRefused() throws Exception {
        int port = listens(here);
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = (SSLSocket)
                            trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
                        socket.startHandshake();
                        assertThat(socket.getInputStream().read()).isEqualTo(-1);
                    }
                })
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("certificate");
    }

    @Test
    void aPeerWithAnEarlierTlsIsRefused() throws Exception {
        int port = listens(here);
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = (SSLSocket)
                            trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
                        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                        socket.startHandshake();
                    }
                })
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("protocol_version");
        SSLContext context = Contexts.of(TestTls.NODE);
        try (SSLServerSocket old = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            old.setEnabledProtocols(new String[] {"TLSv1.2"});
            Thread shakes = new Thread(() -> {
                try (SSLSocket socket = (SSLSocket) old.accept()) {
                    socket.startHandshake();
                } catch (IOException e) {
                    Thread.currentThread().interrupt(); // as expected: the test looks at the other end
                }
            });
            shakes.start();
            assertThat(refusal(Contexts.engines(TestTls.NODE), old.getLocalPort()))
                    .hasMessageContaining("TLS 1.3");
            shakes.join();
        }
    }
}
