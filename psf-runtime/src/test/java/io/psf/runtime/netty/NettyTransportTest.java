package io.psf.runtime.netty;

import io.psf.runtime.call.ConnectionLimits;
import io.psf.runtime.call.TcpTransportContract;
import io.psf.runtime.call.Transport;

final class NettyTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits);
    }
}
