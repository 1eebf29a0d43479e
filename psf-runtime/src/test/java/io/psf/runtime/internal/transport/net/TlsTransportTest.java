package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Sockets with TLS. */
final class TlsTransportTest extends SocketTransportContract {
    private static final TlsEngines ENGINES = Contexts.engines(TestTls.NODE);
    private static final SSLContext CONTEXT = Contexts.of(TestTls.NODE);

    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, limits, false, ENGINES);
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
}
