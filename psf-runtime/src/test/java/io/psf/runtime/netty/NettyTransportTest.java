package io.psf.runtime.netty;

import io.psf.runtime.call.SocketTransportContract;
import io.psf.runtime.call.Transport;

final class NettyTransportTest extends SocketTransportContract {
    @Override
    protected Transport newTransport() {
        return new NettyTransport(pool, PARTIAL_FRAME_LIMIT);
    }
}
