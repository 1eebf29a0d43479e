package io.psf.runtime.transport.netty;

import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.TcpTransportContract;
import io.psf.runtime.transport.Transport;

final class NettyTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits);
    }
}
