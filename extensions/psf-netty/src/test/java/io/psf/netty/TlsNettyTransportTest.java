package io.psf.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.TestTls;
import io.psf.runtime.internal.transport.tls.Contexts;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.SocketTransportContract;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.Transport;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** Netty, with TLS. */
final class TlsNettyTransportTest extends SocketTransportContract {
    private static final TlsEngines ENGINES = Contexts.engines(TestTls.NODE);
    private static final SSLContext CONTEXT = Contexts.of(TestTls.NODE);

    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits, false, ENGINES);
    }

    @Override
    protected Socket open(int port) {
        return Contexts.connect(CONTEXT, port);
    }

    @Test
    void bothEndsKnowTheNameOfTheOther() throws Exception {
        Channel channel = connect();
        assertThat(channel.certificate()).isEqualTo("node");
        channel.send(request(1), LATER);
        atServer.next();
        assertThat(atServer.channels.get(0).certificate()).isEqualTo("node");
    }

    @Test
    void aNodeWithoutTlsIsNotReached() {
        try (Transport plain = new NettyTransport(pool, ConnectionLimits.usual())) {
            int port = plain.listen("127.0.0.1", 0, each -> atServer).port();
            assertThatThrownBy(() -> transport.connect("127.0.0.1", port, each -> atClient))
                    .hasMessageContaining("TLS");
        }
    }
}
