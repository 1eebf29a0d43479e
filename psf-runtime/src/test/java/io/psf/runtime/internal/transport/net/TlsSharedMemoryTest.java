package io.psf.runtime.internal.transport.net;

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
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** Shared memory that both ends agree to over TLS. */
final class TlsSharedMemoryTest extends SocketTransportContract {
    private static final TlsEngines ENGINES = Contexts.engines(TestTls.NODE);
    private static final SSLContext CONTEXT = Contexts.of(TestTls.NODE);

    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return newTransport(NetTransport.Sharing.ALWAYS, limits);
    }

    private Transport newTransport(NetTransport.Sharing sharing, ConnectionLimits limits) {
        return new NetTransport(pool, sharing, Duration.ZERO, limits, false, ENGINES);
    }

    @Override
    protected Socket open(int port) {
        return Contexts.connect(CONTEXT, port);
    }

    @Test
    void bothEndsKnowTheNameOfTheOther() throws Exception {
        Channel channel = connect();
        assertThat(((WireChannel) channel).wire()).isInstanceOf(SharedWire.class);
        assertThat(channel.certificate()).isEqualTo("node");
        channel.send(request(1), LATER);
        atServer.next();
        assertThat(atServer.channels.get(0).certificate()).isEqualTo("node");
    }

    @Test
    void whereItIsNotOfferedTheSameConnectionGoesOn() throws Exception {
        try (Transport other = newTransport(NetTransport.Sharing.NEVER, ConnectionLimits.usual());
                Transport either = newTransport(NetTransport.Sharing.WHERE_POSSIBLE, ConnectionLimits.usual())) {
            int port = other.listen("127.0.0.1", 0, each -> atServer).port();
            Channel channel = either.connect("127.0.0.1", port, each -> atClient);
            assertThat(((WireChannel) channel).wire()).isInstanceOf(TlsWire.class);
            channel.send(request(9), LATER);
            assertThat(atServer.next().call()).isEqualTo(9);
            assertThatThrownBy(() -> transport.connect("127.0.0.1", port, each -> atClient))
                    .hasMessageContaining("shared memory: not offered");
        }
    }
}
