package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.TcpTransportContract;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;

/** Sockets, with a checksum for each frame. */
final class CheckedNetTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, limits, true);
    }
}
