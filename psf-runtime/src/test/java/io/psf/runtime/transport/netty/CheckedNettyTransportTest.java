package io.psf.runtime.transport.netty;

import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.TcpTransportContract;
import io.psf.runtime.transport.Transport;

/** Netty, with a checksum for each frame. */
final class CheckedNettyTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NettyTransport(pool, limits, true);
    }
}
