package io.psf.netty;

import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.TcpTransportContract;
import io.psf.runtime.spi.transport.Transport;

/** Netty, with a checksum for each frame. */
final class CheckedNettyTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits, true);
    }
}
