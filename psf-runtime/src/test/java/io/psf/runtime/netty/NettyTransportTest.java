package io.psf.runtime.netty;

import io.psf.runtime.call.ConnectionLimits;
import io.psf.runtime.call.SocketTransportContract;
import io.psf.runtime.call.Transport;

final class NettyTransportTest extends SocketTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits);
    }
}
