package io.psf.netty;

import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.TcpTransportContract;
import io.psf.runtime.spi.transport.Transport;

final class NettyTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits);
    }
}
